import { existsSync, readFileSync } from "node:fs";
import { stdout } from "node:process";
import { DeliveryMethod } from "@svc/agent-protocol";
import {
  type Attack,
  listAttacks,
  listTampers,
  runAttack,
  runCampaign,
  startAttackVictim,
  waitFor,
} from "@svc/testing";
import { processesOf } from "../../harness/agent/is-about.ts";
import type { PrintedRecord } from "../../harness/agent/running-agent.ts";
import { type EnforcingAgent, startEnforcingAgent } from "./enforcing-agent.ts";
import type { EnforcedAttack, EnforcedStory, ShortRecord, TamperedAgent } from "./guest-results.ts";
import { runContainers } from "./run-containers.ts";
import { runNeighbours } from "./run-neighbours.ts";

/** A little longer than the interval in which the agent sums up repeated attempts. */
const SUMMED_UP_MS = 1500;
/**
 * From one attack to the next. The agent reports a hundred attempts of a program in a second one by
 * one, on any target, and sums up the others. Without the pause it would count those of a third
 * attack among the second's.
 */
const APART_MS = 600;
/** How long the end of an agent may take, and the effect of an attempt that does not end it. */
const ENDS_WITHIN_MS = 120_000;
const HARMED_WITHIN_MS = 3000;
/** Reads of a protected process's memory, after tampering with the agent. */
const READS = 5;

/**
 * All attacks again, often, under an agent that stops them. Then the ways to switch that agent off.
 */
export async function runEnforced(
  folder: string,
  lap: (name: string) => void,
): Promise<EnforcedStory> {
  const guard = await startEnforcingAgent(folder);
  const status = JSON.parse((await guard.agent.ask("/status")).body);
  lap("start enforcing");
  const neighbours = await visitNeighbours(guard);
  lap("noise, enforced");
  const containers = await runContainers(folder, guard);
  lap("containers");
  const attacks: Record<string, EnforcedAttack> = {};
  for (const attack of listAttacks()) {
    const nextMs = performance.now() + APART_MS;
    attacks[attack.name] = await attackOften(attack, guard);
    await Bun.sleep(Math.max(0, nextMs - performance.now()));
  }
  await hearAll(guard);
  lap("attacks, enforced");
  const records = guard.agent.records().map(shortened);
  const log = guard.agent.log();
  const tampers = await tamperWith(folder, guard);
  lap("tampering");
  return { status, neighbours, containers, attacks, records, tampers, log };
}

/** A busy system beside a process that is known to have nothing in its environment. */
async function visitNeighbours({
  agent,
}: EnforcingAgent): Promise<Readonly<Record<string, number>>> {
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid, DeliveryMethod.INJECT);
  return runNeighbours(victim.pid);
}

async function attackOften({ name }: Attack, guard: EnforcingAgent): Promise<EnforcedAttack> {
  // Shows a reader of the output the place at which it hangs.
  stdout.write(`${name}\n`);
  await using victim = await startAttackVictim();
  const before = () => guard.agent.protect(victim.pid);
  const { pid, ...ends } = await runCampaign(name, victim, { before });
  const victimLives = await goesOn(victim.pid);
  return { attacker: pid, victim: victim.pid, victimLives, ...ends };
}

/**
 * One that a killed tracer has left stopped is resumed by the agent, when it has read the event.
 */
async function goesOn(pid: number): Promise<boolean> {
  const isSettled = () => stateOf(pid) !== "stopped";
  const what = "the victim to go on";
  await waitFor(isSettled, { deadlineMs: 10_000, patience: 1, what }).catch(() => undefined);
  return stateOf(pid) === "alive";
}

/** Events come in their order, so one of ours ends those before it; sums of them come later. */
async function hearAll({ agent }: EnforcingAgent): Promise<void> {
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid);
  const endMs = performance.now() + SUMMED_UP_MS;
  while (performance.now() < endMs) {
    const { pid } = await runAttack("process-vm-readv", victim);
    await waitFor(() => agent.records().some((record) => processesOf(record).actor === pid), {
      deadlineMs: 60_000,
      what: `svc-agent to report attacker ${pid}: ${agent.log()}`,
    });
  }
}

function shortened(record: PrintedRecord): ShortRecord {
  const { kind, decision, mechanism, count } = record;
  return {
    ...{ kind, decision: String(decision), mechanism: String(mechanism), count: Number(count) },
    ...processesOf(record),
  };
}

/** Each on an agent at its work: if one has harmed it, the next one finds a new one. */
async function tamperWith(
  folder: string,
  first: EnforcingAgent,
): Promise<Readonly<Record<string, TamperedAgent>>> {
  const tampers: Record<string, TamperedAgent> = {};
  let guard = first;
  for (const { name, ends = false } of listTampers()) {
    stdout.write(`${name}\n`);
    await using victim = await startAttackVictim();
    await guard.agent.protect(victim.pid);
    const { ok, killed, refused } = await runCampaign(name, guard.agent, { count: 1 });
    const hasActed = ok > 0 || killed > 0;
    const deadlineMs = ends && ok > 0 ? ENDS_WITHIN_MS : HARMED_WITHIN_MS;
    const { pid } = guard.agent;
    const agent = hasActed ? await stateAfter(pid, deadlineMs) : stateOf(pid);
    const { leaked } = await runCampaign("process-vm-readv", victim, { count: READS });
    tampers[name] = { ok, killed, refused, agent, leaked };
    const isAsBefore = putMountsBack() || ok === 0;
    if (agent === "alive" && isAsBefore && leaked === 0) continue;
    await guard.end();
    guard = await startEnforcingAgent(folder);
  }
  await guard.end();
  return tampers;
}

/** It may take a moment to end. */
async function stateAfter(pid: number, deadlineMs: number): Promise<TamperedAgent["agent"]> {
  const what = "the agent to end";
  const isOver = () => stateOf(pid) !== "alive";
  await waitFor(isOver, { deadlineMs, patience: 1, what }).catch(() => undefined);
  return stateOf(pid);
}

function stateOf(pid: number): TamperedAgent["agent"] {
  const file = `/proc/${pid}/stat`;
  const [, state = "Z"] = existsSync(file)
    ? (/\) (\w)/.exec(readFileSync(file, "utf8")) ?? [])
    : [];
  if (state === "T") return "stopped";
  return state === "Z" ? "ended" : "alive";
}

/**
 * The test before may have covered, moved or unmounted the pins.
 *
 * @returns whether they were covered or moved, and the agent has them all again.
 */
function putMountsBack(): boolean {
  const mounts = (): string => readFileSync("/proc/mounts", "utf8");
  const before = mounts();
  const busybox = (...words: readonly string[]) => Bun.spawnSync(["/run/busybox", ...words]);
  for (const folder of ["/sys/fs/bpf/svc", "/sys/fs/bpf"]) {
    if (mounts().includes(`cover ${folder} `)) busybox("umount", folder);
  }
  if (mounts().includes(" /mnt bpf ")) busybox("mount", "--move", "/mnt", "/sys/fs/bpf");
  if (mounts().includes(" /sys/fs/bpf bpf ")) return mounts() !== before;
  busybox("mount", "-t", "bpf", "bpf", "/sys/fs/bpf");
  return false;
}
