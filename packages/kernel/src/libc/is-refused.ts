import { EAGAIN, ENOMEM, ENOSYS, EPERM } from "./errno.ts";

/**
 * Whether an errno may be a refusal of the call itself: by a seccomp filter, an old kernel or a
 * limit. Another call with the same effect may then succeed.
 */
export function isRefused(errno: number): boolean {
  return errno === EPERM || errno === ENOSYS || errno === ENOMEM || errno === EAGAIN;
}
