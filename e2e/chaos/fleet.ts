import { waitFor } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { complaints, seenValue } from "./complaints.ts";
import { type FleetMember, type MemberSurroundings, startMember } from "./fleet-member.ts";
import type { MemberPlan } from "./fleet-plan.ts";
import { healthWatch } from "./health-watch.ts";
import type { PastValue } from "./value-history.ts";

/** Wrappers that run at the same time against one vault. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly FleetMember[];
  /** Answers of /healthz so far. */
  readonly answers: () => number;
  /** Waits until every program has the value, and every wrapper is ready. */
  readonly converge: (value: string, deadlineMs: number) => Promise<void>;
  /** Ends every wrapper with SIGTERM. */
  readonly end: () => Promise<void>;
  /** Everything that went wrong, once the fleet has ended. */
  readonly judge: (verdict: Verdict) => readonly string[];
}

/** The judgement of a fleet. */
export interface Verdict {
  readonly values: readonly PastValue[];
  /** How long a value may be on its way. */
  readonly windowMs: number;
  /** Tokens that no log may show. */
  readonly tokens: readonly string[];
}

// Fifty runtimes that start at one moment only wait for each other.
const START_PAUSE_MS = 50;
const END_DEADLINE_MS = 30_000;

/** Starts a wrapper for each plan. */
export async function startFleet(
  plans: readonly MemberPlan[],
  around: MemberSurroundings,
): Promise<Fleet> {
  const members: FleetMember[] = [];
  const watch = healthWatch();
  const deaths: string[] = [];
  for (const plan of plans) {
    const member = await startMember(plan, around);
    members.push(member);
    watch.watch(member);
    await Bun.sleep(START_PAUSE_MS);
  }
  return {
    members,
    answers: watch.answers,
    converge: (value, deadlineMs) => converge(members, value, deadlineMs),
    end: async () => {
      await watch[Symbol.asyncDispose]();
      const dead = new Set(members.filter(({ end }) => end() !== undefined));
      await endAll(members);
      const badly = members.filter((member) => dead.has(member) || member.end() !== 0);
      deaths.push(...badly.map(describeEnd));
    },
    judge: ({ values, windowMs, tokens }) => [
      ...watch.complaints(),
      ...deaths,
      ...members.flatMap(({ plan: { name, mode }, lines }) =>
        complaints({ name, mode, lines: lines() }, { values, windowMs }),
      ),
      ...leaks(members, [...tokens, ...values.map(({ value }) => value)]),
    ],
    [Symbol.asyncDispose]: async () => {
      await watch[Symbol.asyncDispose]();
      for (const { kill, end } of members) if (end() === undefined) kill("SIGTERM");
      await Promise.race([Promise.all(members.map(({ ended }) => ended)), Bun.sleep(5000)]);
      for (const { kill, end } of members) if (end() === undefined) kill("SIGKILL");
    },
  };
}

async function converge(
  members: readonly FleetMember[],
  value: string,
  deadlineMs: number,
): Promise<void> {
  const behind = new Set(members);
  const end = performance.now() + deadlineMs;
  await waitFor(
    async () => {
      for (const member of behind) if (await isThere(member, value)) behind.delete(member);
      if (performance.now() > end - 1000) throw new TypeError(describeBehind(behind));
      return behind.size === 0;
    },
    { deadlineMs, what: "the fleet to have the last value" },
  );
}

async function isThere(member: FleetMember, value: string): Promise<boolean> {
  const { plan, lines, health, end } = member;
  if (end() !== undefined) throw new TypeError(describeEnd(member));
  const last = lines().at(-1);
  const address = health();
  if (last === undefined || address === undefined) return false;
  if (plan.mode !== "none" && seenValue(last) !== value) return false;
  const answer = await fetch(`${address}/readyz`, { keepalive: false }).catch(() => undefined);
  return answer?.status === 200;
}

function describeBehind(behind: ReadonlySet<FleetMember>): string {
  const lines = [...behind].map(
    ({ plan, pid, log }) => `${plan.name} (${plan.mode}), pid ${pid}:\n${log().slice(-2000)}`,
  );
  return `${behind.size} wrappers are behind:\n${lines.join("\n")}`;
}

function describeEnd({ plan, end, log }: FleetMember): string {
  return `${plan.name}: ended with ${end()}: ${log().slice(-1200)}`;
}

/** Their programs end by SIGTERM with code 0, and so do they. */
async function endAll(members: readonly FleetMember[]): Promise<void> {
  for (const { kill, end } of members) if (end() === undefined) kill("SIGTERM");
  await waitFor(() => members.every(({ end }) => end() !== undefined), {
    deadlineMs: END_DEADLINE_MS,
    what: "every wrapper to end",
  });
}

function leaks(members: readonly FleetMember[], secrets: readonly string[]): readonly string[] {
  return members.flatMap(({ plan, log, tokens }) =>
    leaksIn(log(), [...secrets, ...tokens]).map((leak) => `${plan.name}: its log shows ${leak}`),
  );
}
