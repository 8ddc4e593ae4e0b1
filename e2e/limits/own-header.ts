import type { NumberHeader } from "../../scripts/generate/system-calls/call-numbers.ts";
import { machines } from "../../scripts/generate/system-calls/machines.ts";

/** The kernel's header with the numbers of this machine's system calls. */
export function ownHeader(): NumberHeader {
  const name = process.arch === "arm64" ? "arm64" : "x86";
  const header = machines.find((machine) => machine.name === name)?.numberings[0]?.header;
  if (header === undefined) throw new TypeError(`there is no header of ${process.arch}`);
  return header;
}
