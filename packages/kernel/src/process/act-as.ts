import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";

const UNCHANGED = -1;

/**
 * Does something with another real user and group of this thread, and takes them back:
 * setresuid(2), setresgid(2). The effective and the saved ones stay as they are, and capabilities
 * with them.
 *
 * @throws SyscallError `EPERM` without CAP_SETUID or CAP_SETGID.
 */
export function actAs(user: number, group: number, action: () => void): void {
  const { getuid, getgid } = systemCallTable();
  const own = { user: ownId(getuid), group: ownId(getgid) };
  setRealGroup(group);
  try {
    setRealUser(user);
    try {
      action();
    } finally {
      setRealUser(own.user);
    }
  } finally {
    setRealGroup(own.group);
  }
}

function ownId(call: number): number {
  return Number(libc.syscall(call, 0, 0, 0, 0, 0, 0));
}

function setRealUser(user: number): void {
  const { setresuid } = systemCallTable();
  checked("setresuid", libc.syscall(setresuid, user, UNCHANGED, UNCHANGED, 0, 0, 0));
}

function setRealGroup(group: number): void {
  const { setresgid } = systemCallTable();
  checked("setresgid", libc.syscall(setresgid, group, UNCHANGED, UNCHANGED, 0, 0, 0));
}
