import { accepted, type Parsed, refused } from "@svc/settings";

/** Parses the number of a process; the kernel gives none beyond 2^22 (proc_sys_kernel(5), pid_max). */
export function parseProcessNumber(text: string): Parsed<number> {
  const isNumber = /^[1-9]\d{0,6}$/.test(text) && Number(text) <= 2 ** 22;
  return isNumber ? accepted(Number(text)) : refused("the number of a process");
}
