import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Combination,
  type CombinationAnswer,
  type CombinationVictim,
  combinationProgram,
  listCombinations,
  runCombination,
  startCombinationVictim,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { type PrintedRecord, startAgent } from "../../harness/agent/running-agent.ts";
import { judgeCombination, type Verdict } from "./judge-combination.ts";

/** Whether the agent stops attempts, or only reports them. */
export type Mode = "enforce" | "detect";

/** A combination that was tried against an agent. */
export interface CombinationSight {
  readonly verdict: Verdict;
  readonly answer: CombinationAnswer;
  /** The kinds of its events, each once. */
  readonly kinds: readonly string[];
  /** The tier of the agent: with `tracing` the kernel refuses nothing. */
  readonly tier: string;
}

/** An agent at work, and attackers. */
export interface CombinationStage extends AsyncDisposable {
  readonly run: (combination: Combination) => Promise<CombinationSight>;
}

/** Starts an agent. The records of one agent are read again and again: give it a hundred runs. */
export async function startCombinationStage(mode: Mode): Promise<CombinationStage> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(temporaryFolder());
  const settings = { ENFORCE_MODE: String(mode === "enforce"), GLOBAL_PRIVESC_DETECT: "true" };
  const agent = parts.use(await startAgent(folder.path, settings));
  const fence = parts.use(await startCombinationVictim());
  await agent.protect(fence.pid);
  const { tier } = JSON.parse((await agent.ask("/status")).body).readiness;
  const wall = fenceOf(fence, agent.records);
  const all = parts.move();
  return {
    run: async (combination) => {
      await using victim = await startCombinationVictim();
      const program = copyOf(folder.path, combination);
      const known = agent.records().length;
      const before = () => agent.protect(victim.pid);
      const answer = await runCombination(combination, victim, { program: program.path, before });
      await wall();
      const events = agent
        .records()
        .slice(known)
        .filter((record) => inodeOf(record) === program.inode || parentOf(record) === answer.pid);
      const actors = events.map((record) => actorOf(record));
      const kinds = [...new Set(events.map(({ kind }) => kind))].sort();
      return { verdict: judgeCombination(answer, actors), answer, kinds, tier };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The agent sums up attempts of many processes that run one file, so each run has its file. */
function copyOf(folder: string, { name }: Combination) {
  const path = join(folder, name.replaceAll("/", "-"));
  copyFileSync(combinationProgram(process.env), path);
  return { path, inode: String(statSync(path).ino) };
}

/** Events come in their order: when one of these is there, all earlier ones are. */
function fenceOf(victim: CombinationVictim, records: () => readonly PrintedRecord[]) {
  const simple = listCombinations().find(({ name }) => name === "read-call/warm/own/64/main/after");
  if (simple === undefined) throw new Error("the fence's combination is not in the list");
  return async () => {
    const { pid } = await runCombination(simple, victim);
    const isThere = () => records().some((record) => parentOf(record) === pid);
    await waitFor(isThere, { deadlineMs: 30_000, what: "word of the fence" });
  };
}

interface Named {
  readonly actor?: {
    readonly pid: number;
    readonly parentPid?: number;
    readonly executable?: { readonly inode?: string };
  };
}

function actorOf(record: Named & object) {
  return { pid: record.actor?.pid ?? 0 };
}

function inodeOf(record: Named & object): string | undefined {
  return record.actor?.executable?.inode;
}

function parentOf(record: Named & object): number | undefined {
  return record.actor?.parentPid;
}
