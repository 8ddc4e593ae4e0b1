import type { ProcessIdentity } from "./process-identity.ts";

/** A process that a wrapper has registered. */
export interface NotedProcess extends ProcessIdentity {
  /** Address of the environment, if its wrapper says that it holds no value. Otherwise 0n. */
  readonly bareEnvironment: bigint;
}

/** An earlier agent's facts about a wrapper at the socket. */
export interface KnownRegistration {
  readonly registration: bigint;
  readonly wrapper: ProcessIdentity;
  /** Those that the wrapper has registered. */
  readonly processes: readonly NotedProcess[];
}

/** A line of the ledger: the wrapper of a registration, or a process that it has registered. */
export type LedgerNote = { readonly registration: bigint } & (
  | { readonly what: "wrapper"; readonly process: ProcessIdentity }
  | { readonly what: "process"; readonly process: NotedProcess }
);

const wrapperForm = /^wrapper (\d{1,19}) (\d{1,10}) (\d{1,16})$/;
const processForm = /^process (\d{1,19}) (\d{1,10}) (\d{1,16}) (\d{1,20})$/;

/** The first line: numbers of processes mean nothing after a restart of the machine. */
export function ledgerHead(bootId: string): string {
  return `boot ${bootId}\n`;
}

export function ledgerLine({ what, registration, process }: LedgerNote): string {
  const environment = what === "process" ? ` ${process.bareEnvironment}` : "";
  return `${what} ${registration} ${process.pid} ${process.startTicks}${environment}\n`;
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
  const notes = new Map<string, { registration: bigint; process: NotedProcess }>();
  for (const line of text.split("\n").slice(1, -1)) {
    const note = parseNote(line);
    if (note === undefined) continue;
    const { registration, process } = note;
    if (note.what === "wrapper") wrappers.set(registration, process);
    else notes.set(`${process.pid} ${process.startTicks}`, { registration, process: note.process });
  }
  return [...wrappers].map(([registration, wrapper]) => ({
    registration,
    wrapper,
    processes: [...notes.values()]
      .filter((note) => note.registration === registration)
      .map(({ process }) => process),
  }));
}

function parseNote(line: string): LedgerNote | undefined {
  const wrapper = wrapperForm.exec(line);
  if (wrapper !== null) return { what: "wrapper", ...identified(wrapper) };
  const found = processForm.exec(line);
  if (found === null) return undefined;
  const { registration, process } = identified(found);
  return {
    ...{ what: "process", registration },
    process: { ...process, bareEnvironment: BigInt(found[4] ?? "") },
  };
}

function identified([, registration = "", pid, startTicks]: RegExpExecArray) {
  return {
    registration: BigInt(registration),
    process: { pid: Number(pid), startTicks: Number(startTicks) },
  };
}

/** Whether two notes of one process number say the same. */
export function isSameNote(one: NotedProcess | undefined, other: NotedProcess): boolean {
  const { startTicks, bareEnvironment } = other;
  return one?.startTicks === startTicks && one.bareEnvironment === bareEnvironment;
}
