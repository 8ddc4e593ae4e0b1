import {
  architecture,
  execFilter,
  installListener,
  SyscallError,
  setNoNewPrivileges,
} from "@svc/kernel";
import type { Following } from "@svc/settings";
import { notifyTerms } from "./choose-following.ts";
import { ownPrivileges } from "./privileges.ts";

/** A filter that announces each execve of this process and of its descendants. */
export type ExecFilter =
  | {
      readonly kind: "installed";
      /** Hears of them. */
      readonly listener: number;
      /** The fourth argument with which an execve of this process is not announced. */
      readonly pass: number;
    }
  | { readonly kind: "impossible"; readonly reason: string };

/** Puts the filter on this process for good, if the setting and the kernel allow it. */
export function installExecFilter(setting: "auto" | Following): ExecFilter {
  const privileges = ownPrivileges();
  const terms = notifyTerms(setting, privileges);
  if (terms.kind === "impossible") return terms;
  // Not 0, which is most likely there by chance.
  const [pass = 1] = crypto.getRandomValues(new Uint32Array(1)).map((word) => word | 1);
  // A tracer without CAP_SYS_PTRACE cannot take hold of a process once it has changed its user.
  const changesOfUser = privileges.mayChangeUser && !privileges.sysPtrace;
  try {
    if (terms.kind === "no_new_privs") setNoNewPrivileges();
    const listener = installListener(execFilter({ architecture, pass, changesOfUser }));
    return { kind: "installed", listener, pass };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const nested = error.code === "EBUSY" ? ": another filter has a listener already" : "";
    return { kind: "impossible", reason: `${error.message}${nested}` };
  }
}
