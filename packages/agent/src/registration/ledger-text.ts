import type { ProcessIdentity } from "./process-identity.ts";

/** An earlier agent's facts about a wrapper at the socket. */
export interface KnownRegistration {
  readonly registration: bigint;
  readonly wrapper: ProcessIdentity;
  /** Those that the wrapper has registered. */
  readonly processes: readonly ProcessIdentity[];
}

/** A line of the ledger: the wrapper of a registration, or a process that it has registered. */
export interface LedgerNote {
  readonly what: "wrapper" | "process";
  readonly registration: bigint;
  readonly process: ProcessIdentity;
}

const noteForm = /^(wrapper|process) (\d{1,19}) (\d{1,10}) (\d{1,16})$/;

/** The first line: numbers of processes mean nothing after a restart of the machine. */
export function ledgerHead(bootId: string): string {
  return `boot ${bootId}\n`;
}

export function ledgerLine({ what, registration, process }: LedgerNote): string {
  return `${what} ${registration} ${process.pid} ${process.startTicks}\n`;
}

/** The lines of the known facts. */
export function ledgerLines({ registration, wrapper, processes }: KnownRegistration): string {
  const lines = processes.map((process) => ledgerLine({ what: "process", registration, process }));
  return ledgerLine({ what: "wrapper", registration, process: wrapper }) + lines.join("");
}

/**
 * Pure: the content of a ledger. Empty if it is of another boot of the machine. A process belongs
 * to the registration that was noted last. A malformed line, as the last one of a killed agent may
 * be, is left out.
 */
export function parseLedger(text: string, bootId: string): readonly KnownRegistration[] {
  if (!text.startsWith(ledgerHead(bootId))) return [];
  const wrappers = new Map<bigint, ProcessIdentity>();
  const processes = new Map<string, LedgerNote>();
  for (const line of text.split("\n").slice(1, -1)) {
    const note = parseNote(line);
    if (note === undefined) continue;
    const { what, registration, process } = note;
    if (what === "wrapper") wrappers.set(registration, process);
    else processes.set(`${process.pid} ${process.startTicks}`, note);
  }
  const notes = [...processes.values()];
  return [...wrappers].map(([registration, wrapper]) => ({
    registration,
    wrapper,
    processes: notes
      .filter((note) => note.registration === registration)
      .map(({ process }) => process),
  }));
}

function parseNote(line: string): LedgerNote | undefined {
  const [, what, registration = "", pid, startTicks] = noteForm.exec(line) ?? [];
  if (what !== "wrapper" && what !== "process") return undefined;
  const process = { pid: Number(pid), startTicks: Number(startTicks) };
  return { what, registration: BigInt(registration), process };
}
