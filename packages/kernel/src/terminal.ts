import { libc } from "./libc.ts";
import { blockedSignals, blockSignals, setBlockedSignals, signalSet } from "./signals.ts";

const TIOCGPGRP = 0x540f;
const TIOCSPGRP = 0x5410;
const SIGTTOU = 22;

/** This process's group; getpgrp(2). */
export function processGroup(): number {
  return libc.getpgrp();
}

/** The foreground group of the terminal at `fd`; undefined where it is not ours; tcgetpgrp(3). */
export function foregroundGroup(fd: number): number | undefined {
  const group = new Int32Array(1);
  return libc.ioctl(fd, TIOCGPGRP, group) === 0 ? group[0] : undefined;
}

/** Gives the terminal to a process group; false where that is not allowed; tcsetpgrp(3). */
export function setForegroundGroup(fd: number, group: number): boolean {
  const before = blockedSignals();
  // A background process that sets the foreground group would be stopped by SIGTTOU.
  blockSignals(signalSet([SIGTTOU]));
  const result = libc.ioctl(fd, TIOCSPGRP, Int32Array.of(group));
  setBlockedSignals(before);
  return result === 0;
}
