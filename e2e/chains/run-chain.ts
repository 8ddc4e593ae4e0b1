import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import type { Chain } from "./chain.ts";
import { type ChainFolder, filledIn } from "./chain-folder.ts";
import { pathOf } from "./chain-packages.ts";
import type { Place } from "./places.ts";
import { isAlive, lookAt, nameOf, type SeenProcess, wantsProcessor } from "./processes.ts";

const SIGTERM = 15;
/** A broker, a database or a bundler starts before the worker does. */
const DEADLINE_MS = 30_000;
/** A chain has started if all its processes wait at each of these looks. */
const RESTS = 5;
const REST_MS = 20;
const REST_DEADLINE_MS = 5_000;

/** The words of the chain, with or without the wrapper before them. */
export interface RunOptions {
  readonly chain: Chain;
  readonly place: Place;
  readonly words: readonly string[];
  readonly folder: ChainFolder;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A chain that runs. Disposing ends its remaining processes. */
export interface ChainRun extends AsyncDisposable {
  readonly pid: number;
  /** The log of the wrapper, and the output of the chain. */
  readonly log: () => string;
  /** Waits for every worker's proof: its digest by its pid. */
  readonly proofs: () => Promise<ReadonlyMap<number, string>>;
  readonly processes: () => readonly SeenProcess[];
  /** Ends the chain as its row says. */
  readonly end: () => Promise<number | null>;
}

/** Starts a chain in its folder. */
export async function startChain(options: RunOptions): Promise<ChainRun> {
  const { chain, place, folder, secrets } = options;
  const mark = crypto.randomUUID();
  const running = await startWrapper({
    instead: options.words.map((word) => filledIn(word, folder)),
    startsAs: place.startsAs,
    folder: folder.path,
    environment: {
      ...surroundings(chain, folder),
      ...options.environment,
      CHAIN_MARK: mark,
    },
  });
  // A server that writes over its environment and has lost its parent is known from before.
  const known = new Map<number, string>();
  const processes = () => {
    const found = lookAt(running.pid, mark, secrets);
    for (const { pid, name } of found) known.set(pid, name);
    return found;
  };
  const killAll = () => {
    processes();
    for (const [pid, name] of known) if (nameOf(pid) === name) killIfThere(pid);
  };
  return {
    pid: running.pid,
    log: () => `${running.stderr()}${running.stdout()}`,
    proofs: async () => await awaitProofs(chain, folder, running),
    processes,
    end: async () => {
      processes();
      await allWait([...known.keys()]);
      return await endChain(chain, folder, running, killAll);
    },
    [Symbol.asyncDispose]: async () => {
      killAll();
      await running[Symbol.asyncDispose]();
    },
  };
}

function surroundings(chain: Chain, folder: ChainFolder): Record<string, string> {
  const { path, proofs, end } = folder;
  const own = Object.entries(chain.environment ?? {});
  return {
    PATH: pathOf(chain, path),
    HOME: path,
    TMPDIR: path,
    LANG: "C.UTF-8",
    ...Object.fromEntries(own.map(([name, value]) => [name, filledIn(value, folder)])),
    CHAIN_PROOFS: proofs,
    CHAIN_END: end,
  };
}

async function awaitProofs(
  chain: Chain,
  folder: ChainFolder,
  running: RunningWrapper,
): Promise<ReadonlyMap<number, string>> {
  const { workers = 1, ask } = chain;
  const asker = new Asker(ask, folder);
  const hasEnded = () => !isAlive(running.pid);
  try {
    await waitFor(
      () => {
        asker.ask();
        return readProofs(folder).size >= workers || hasEnded();
      },
      { deadlineMs: DEADLINE_MS, what: `${workers} proofs` },
    );
  } catch (error) {
    throw new TypeError(`wait for ${workers} proofs: ${running.stderr()}${running.stdout()}`, {
      cause: error,
    });
  }
  const proofs = readProofs(folder);
  if (proofs.size >= workers) return proofs;
  const printed = `${running.stderr()}${running.stdout()}`;
  throw new TypeError(`wait for ${workers} proofs: the chain has ended: ${printed}`);
}

/** Asks a server again and again; each question ends before the next one. */
class Asker {
  readonly #words: readonly string[];
  readonly #folder: string;
  #isAsking = false;

  constructor(words: readonly string[] | undefined, folder: ChainFolder) {
    this.#words = (words ?? []).map((word) => filledIn(word, folder));
    this.#folder = folder.path;
  }

  ask(): void {
    if (this.#words.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    const child = Bun.spawn([...this.#words], {
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "ignore"],
    });
    void child.exited.then(() => {
      this.#isAsking = false;
    });
  }
}

function readProofs({ proofs }: ChainFolder): ReadonlyMap<number, string> {
  const names = readdirSync(proofs).filter((name) => /^\d+$/.test(name));
  return new Map(
    names.map((name) => [Number(name), readFileSync(join(proofs, name), "utf8").trim()]),
  );
}

/**
 * A launcher may handle signals only some moments after its worker has begun: `watchmedo` ends with
 * a Python traceback before. It is ready when no process of the chain wants a processor several
 * times in a row. Some chains are never at rest, so this has an end.
 */
async function allWait(pids: readonly number[]): Promise<void> {
  const end = performance.now() + REST_DEADLINE_MS;
  for (let rests = 0; rests < RESTS && performance.now() < end; ) {
    await Bun.sleep(REST_MS);
    rests = pids.some(wantsProcessor) ? 0 : rests + 1;
  }
}

async function endChain(
  { endedBy = "SIGTERM" }: Chain,
  folder: ChainFolder,
  running: RunningWrapper,
  killAll: () => void,
): Promise<number | null> {
  if (endedBy !== "file") running.kill(SIGTERM);
  if (endedBy !== "SIGTERM") writeFileSync(folder.end, "");
  await waitFor(() => !isAlive(running.pid), { deadlineMs: DEADLINE_MS, what: "its end" });
  killAll();
  return (await running.ended).exitCode;
}

/** The wrapper ends processes that its chain leaves behind. For a bare chain the test does it. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was seen.
  }
}
