/**
 * Runs in a guest: starts the compiled agent, does everything that it is to see and to leave alone, and writes what came of
 * it: `bun e2e/kernels/guest/run-stories.ts RESULTS`.
 */
import { writeFileSync } from "node:fs";
import { release } from "node:os";
import { argv } from "node:process";
import { DeliveryRung } from "@svc/agent-protocol";
import { listAttacks, runAttack, startAttackVictim, temporaryFolder } from "@svc/testing";
import { neighbours } from "../../agent/neighbours.ts";
import { startAgent } from "../../agent/running-agent.ts";
import { type Audience, openAudience } from "./audience.ts";
import type { AgentStatus, AttackedVictim, GuestResults } from "./guest-results.ts";
import { runWrapped } from "./run-wrapped.ts";

const [, , target = ""] = argv;

writeFileSync(target, JSON.stringify(await runStories(), undefined, 2));

async function runStories(): Promise<GuestResults> {
  using folder = temporaryFolder();
  const clock = stopwatch();
  await using agent = await startAgent(folder.path, { GLOBAL_PRIVESC_DETECT: "true" });
  const readiness = await agent.ask("/readyz");
  const askStatus = async (): Promise<AgentStatus> => JSON.parse((await agent.ask("/status")).body);
  const status = await askStatus();
  await using audience = await openAudience(agent);
  clock.lap("start");
  const noise = await audience.during(() => makeNoise(audience));
  clock.lap("noise");
  const wrapped = await runWrapped(audience, folder.path);
  clock.lap("wrapped");
  const attacks: Record<string, AttackedVictim> = {};
  const seen = await audience.during(async () => {
    for (const { name } of listAttacks()) attacks[name] = await attackVictim(name, audience);
  });
  clock.lap("attacks");
  return {
    ...{ release: release(), readiness, status, noise, wrapped, attacks, seen },
    ...{ statusAfter: await askStatus(), log: agent.log(), seconds: clock.laps },
  };
}

/** A busy system beside a process that is known to have nothing in its environment. */
async function makeNoise({ agent }: Audience): Promise<void> {
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid, DeliveryRung.INJECT);
  const env = { ...process.env, VICTIM: String(victim.pid) };
  for (const [who, script] of neighbours) {
    const { exitCode } = Bun.spawnSync(["sh", "-c", script], { env });
    if (exitCode === 127) throw new TypeError(`${who}: a command is missing`);
  }
}

/** Each attack by a process of its own on a victim of its own: one that is traced or killed harms no other. */
async function attackVictim(name: string, { agent }: Audience): Promise<AttackedVictim> {
  await using victim = await startAttackVictim();
  const before = () => agent.protect(victim.pid);
  const { pid, answer } = await runAttack(name, victim, { before });
  return { attacker: pid, answer };
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
