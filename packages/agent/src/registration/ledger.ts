import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../agent-error.ts";
import {
  type KnownRegistration,
  type LedgerNote,
  ledgerHead,
  ledgerLine,
  ledgerLines,
  parseLedger,
} from "./ledger-text.ts";
import { readProcess } from "./process-facts.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** Keeps on disk which process is whose, for the agent after this one. */
export interface Ledger {
  /** The notes of earlier agents about live processes. */
  readonly known: readonly KnownRegistration[];
  readonly note: (note: LedgerNote) => void;
  /** Keeps the given facts and forgets the rest, if that is much. */
  readonly tidy: (known: () => readonly KnownRegistration[]) => void;
}

export interface LedgerOptions {
  readonly path: string;
  readonly bootId: string;
  /** Called once for a disk that takes nothing. */
  readonly onFault: (message: string) => void;
}

const ROOT_ONLY = 0o600;
const WRITABLE_BY_OTHERS = 0o022;
/** Some hundred bytes a wrapper. */
const MOST_BYTES = 1024 * 1024;

/**
 * Opens the ledger, and removes ended processes. It survives the agent, by any end, and not the
 * machine.
 *
 * @throws AgentError `REGISTRY_UNUSABLE`
 */
export function openLedger({ path, bootId, onFault }: LedgerOptions): Ledger {
  let size = 0;
  let hasFailed = false;
  const rewrite = (known: readonly KnownRegistration[]): void => {
    const text = ledgerHead(bootId) + known.map(ledgerLines).join("");
    writeFileSync(`${path}.new`, text, { mode: ROOT_ONLY });
    chmodSync(`${path}.new`, ROOT_ONLY);
    renameSync(`${path}.new`, path);
    size = text.length;
  };
  const orTell = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      if (!hasFailed) onFault(error instanceof Error ? error.message : "failed");
      hasFailed = true;
    }
  };
  const known = attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const found = living(parseLedger(readOwn(path), bootId));
    rewrite(found);
    return found;
  });
  return {
    known,
    note: (note) => {
      const line = ledgerLine(note);
      size += line.length;
      orTell(() => appendFileSync(path, line));
    },
    tidy: (all) => {
      if (size > MOST_BYTES) orTell(() => rewrite(living(all())));
    },
  };
}

/** Another user's ledger could name false owners of programs. */
function readOwn(path: string): string {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return "";
  if (!facts.isFile()) throw new TypeError("it is not a file");
  if (facts.uid !== process.getuid?.() || (facts.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new TypeError("others may write to it");
  }
  return readFileSync(path, "latin1");
}

function living(known: readonly KnownRegistration[]): readonly KnownRegistration[] {
  return known
    .map((one) => ({ ...one, processes: one.processes.filter(lives) }))
    .filter(({ wrapper, processes }) => processes.length > 0 || lives(wrapper));
}

function lives({ pid, startTicks }: ProcessIdentity): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

function attempt<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    const text = `open REGISTRY_PATH (${path}): ${found}`;
    throw new AgentError("REGISTRY_UNUSABLE", text, error);
  }
}
