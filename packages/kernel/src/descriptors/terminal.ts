import { libc } from "#native";
import { SIGTTOU } from "../signals/signal-numbers.ts";
import { blockedSignals, blockSignals, setBlockedSignals, signalSet } from "../signals/signals.ts";

const TIOCGPGRP = 0x540f;
const TIOCSPGRP = 0x5410;
const TCGETS = 0x5401;
const TCSETSF = 0x5404;

/** The kernel's struct termios has 36 bytes; c_lflag is its fourth word. */
const TERMIOS_BYTES = 64;
const LFLAG_WORD = 3;
const ECHO = 0o10;
const ECHONL = 0o100;

/** This process's group; getpgrp(2). */
export function processGroup(): number {
  return libc.getpgrp();
}

/** The foreground group of the terminal at `fd`; undefined if it is not ours; tcgetpgrp(3). */
export function foregroundGroup(fd: number): number | undefined {
  const group = new Int32Array(1);
  return libc.ioctl(fd, TIOCGPGRP, group) === 0 ? group[0] : undefined;
}

/** Gives the terminal to a process group; false if that is not allowed; tcsetpgrp(3). */
export function setForegroundGroup(fd: number, group: number): boolean {
  const before = blockedSignals();
  // A background process that sets the foreground group would be stopped by SIGTTOU.
  blockSignals(signalSet([SIGTTOU]));
  const result = libc.ioctl(fd, TIOCSPGRP, Int32Array.of(group));
  setBlockedSignals(before);
  return result === 0;
}

/**
 * Makes the terminal at `fd` hide typed text, except for the end of a line, until the returned
 * object is disposed of.
 * Undefined if there is no terminal; termios(3).
 */
export function hideInput(fd: number): Disposable | undefined {
  const before = new Uint32Array(TERMIOS_BYTES / 4);
  if (libc.ioctl(fd, TCGETS, before) !== 0) return undefined;
  const hidden = before.slice();
  hidden[LFLAG_WORD] = ((before[LFLAG_WORD] ?? 0) & ~ECHO) | ECHONL;
  if (libc.ioctl(fd, TCSETSF, hidden) !== 0) return undefined;
  return { [Symbol.dispose]: () => void libc.ioctl(fd, TCSETSF, before) };
}
