// signal(7); x86 and arm64 have the same numbers.
export const SIGHUP = 1;
export const SIGTRAP = 5;
export const SIGKILL = 9;
export const SIGPIPE = 13;
export const SIGTERM = 15;
export const SIGCHLD = 17;
export const SIGCONT = 18;
export const SIGSTOP = 19;
export const SIGTTOU = 22;
export const SIGURG = 23;
export const SIGXFSZ = 25;
