// signal(7), from 1 on; x86 and arm64 have these numbers.
const names = `
  HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT
  STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
`
  .trim()
  .split(/\s+/);

/** The name of a signal, for people: `SIGTERM`; `signal 34` if it has none. */
export function signalName(signal: number): string {
  const name = names[signal - 1];
  return name === undefined ? `signal ${signal}` : `SIG${name}`;
}
