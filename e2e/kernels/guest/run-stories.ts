/**
 * Runs in a guest: starts the compiled agent, runs all attacks and all harmless operations, and
 * writes the results: `bun e2e/kernels/guest/run-stories.ts RESULTS`. SURVIVAL=true adds the
 * stories of protection that outlives agents.
 */
import { writeFileSync } from "node:fs";
import { release } from "node:os";
import { argv, env } from "node:process";
import { DeliveryMethod } from "@svc/agent-protocol";
import { listAttacks, runAttack, startAttackVictim, temporaryFolder } from "@svc/testing";
import { type Audience, openAudience } from "../../harness/agent/audience.ts";
import { startAgent } from "../../harness/agent/running-agent.ts";
import { tellTokenStory } from "../../harness/agent/token-story.ts";
import type { AgentStatus, AttackedVictim, GuestResults } from "./guest-results.ts";
import { refusedOnTracing } from "./refused-on-tracing.ts";
import { runEnforced } from "./run-enforced.ts";
import { runNeighbours } from "./run-neighbours.ts";
import { runSurvival } from "./run-survival.ts";
import { runWrapped } from "./run-wrapped.ts";

const [, , target = ""] = argv;

writeFileSync(target, JSON.stringify(await runStories(), undefined, 2));

async function runStories(): Promise<GuestResults> {
  const clock = stopwatch();
  const tracing = refusedOnTracing();
  clock.lap("tracing");
  const detected = await runDetected(clock.lap);
  using folder = temporaryFolder();
  const tokens = await tellTokenStory(folder.path);
  clock.lap("tokens");
  const enforced = await runEnforced(folder.path, clock.lap);
  const survival = env["SURVIVAL"] === "true" ? await runSurvival(folder.path) : undefined;
  clock.lap("survival");
  return {
    ...detected,
    refusedOnTracing: tracing,
    tokens,
    enforced,
    ...(survival && { survival }),
    seconds: clock.laps,
  };
}

/** The stories of an agent that only reports. */
async function runDetected(
  lap: (name: string) => void,
): Promise<
  Omit<GuestResults, "refusedOnTracing" | "tokens" | "enforced" | "survival" | "seconds">
> {
  using folder = temporaryFolder();
  await using agent = await startAgent(folder.path, { GLOBAL_PRIVESC_DETECT: "true" });
  const readiness = await agent.ask("/readyz");
  const askStatus = async (): Promise<AgentStatus> => JSON.parse((await agent.ask("/status")).body);
  const status = await askStatus();
  await using audience = await openAudience(agent);
  lap("start");
  let neighbours: Readonly<Record<string, number>> = {};
  const noise = await audience.during(async () => {
    neighbours = await makeNoise(audience);
  });
  lap("noise");
  const wrapped = await runWrapped(audience, folder.path);
  lap("wrapped");
  const attacks: Record<string, AttackedVictim> = {};
  const seen = await audience.during(async () => {
    for (const { name } of listAttacks()) attacks[name] = await attackVictim(name, audience);
  });
  lap("attacks");
  return {
    ...{ release: release(), readiness, status, neighbours, noise, wrapped, attacks, seen },
    ...{ statusAfter: await askStatus(), log: agent.log() },
  };
}

/** A busy system beside a process that is known to have nothing in its environment. */
async function makeNoise({ agent }: Audience): Promise<Readonly<Record<string, number>>> {
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid, DeliveryMethod.INJECT);
  return runNeighbours(victim.pid);
}

/**
 * Each attack by a separate process on a separate victim: one that is traced or killed harms no
 * other.
 */
async function attackVictim(name: string, { agent }: Audience): Promise<AttackedVictim> {
  await using victim = await startAttackVictim();
  const before = () => agent.protect(victim.pid);
  const { pid, answer } = await runAttack(name, victim, { before });
  return { attacker: pid, victim: victim.pid, answer };
}

function stopwatch() {
  const laps: Record<string, number> = {};
  let from = performance.now();
  const lap = (name: string): void => {
    const now = performance.now();
    laps[name] = Math.round((now - from) / 100) / 10;
    from = now;
  };
  return { laps, lap };
}
