import type { Following } from "@svc/settings";
import { followingTraits } from "./following-traits.ts";

/** The privileges of a process, and those that it could get; capabilities(7). */
export interface Privileges {
  readonly isRoot: boolean;
  readonly noNewPrivileges: boolean;
  readonly sysAdmin: boolean;
  readonly sysPtrace: boolean;
  readonly mayChangeUser: boolean;
  /**
   * True if no execve could give it a capability that it has not: permitted and bounding are one.
   */
  readonly hasAll: boolean;
}

/** Whether the kernel can announce each execve, and the required preparation. */
export type NotifyTerms =
  | { readonly kind: "free" }
  /** no_new_privs has to be set. */
  | { readonly kind: "no_new_privs" }
  | { readonly kind: "impossible"; readonly reason: string };

/**
 * A filter needs no_new_privs or CAP_SYS_ADMIN; seccomp(2). Without no_new_privs the tracer needs
 * CAP_SYS_PTRACE, too: the kernel withholds set-user-ID and file capabilities from a traced
 * process.
 * `auto` sets no_new_privs for a root that no file could give anything.
 */
export function notifyTerms(setting: "auto" | Following, privileges: Privileges): NotifyTerms {
  const { isRoot, noNewPrivileges, sysAdmin, sysPtrace, hasAll } = privileges;
  if (setting !== "auto" && !followingTraits[setting].isAnnounced) {
    return { kind: "impossible", reason: `SVC_FOLLOW is ${setting}` };
  }
  if (noNewPrivileges || (sysAdmin && sysPtrace)) return { kind: "free" };
  if (setting !== "auto" || (isRoot && hasAll)) return { kind: "no_new_privs" };
  const reason = "no_new_privs is not set; SVC_FOLLOW=notify sets it";
  return { kind: "impossible", reason };
}
