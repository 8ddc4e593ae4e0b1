import { processStatus, SyscallError, takeOwnMounts } from "@svc/kernel";

/** Whether this process has mounts that no other one sees, or why not. */
export type OwnMounts =
  | { readonly kind: "own" }
  | { readonly kind: "refused"; readonly reason: string };

const CAP_SYS_ADMIN = 21n;

/** To be called before the first courier starts: it has the mounts of its parent. */
export function tryOwnMounts(): OwnMounts {
  try {
    takeOwnMounts();
    return { kind: "own" };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return { kind: "refused", reason: `${error.message}: ${cause()}` };
  }
}

function cause(): string {
  if (!mayMount()) return "the wrapper has no CAP_SYS_ADMIN";
  return "a seccomp profile or a security module refuses it";
}

function mayMount(): boolean {
  try {
    const effective = BigInt(`0x${processStatus().get("CapEff")?.trim() || "0"}`);
    return ((effective >> CAP_SYS_ADMIN) & 1n) === 1n;
  } catch (error) {
    if (error instanceof SyscallError) return true;
    throw error;
  }
}
