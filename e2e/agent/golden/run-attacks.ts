/**
 * Runs every attack against a protected process. Prints, as JSON, the events that the kernel side
 * of the agent reports for each, by one mechanism: `bun e2e/agent/golden/run-attacks.ts [tracing |
 * lsm | fmod_ret] [--write]`, as root, on any kernel. With `--write` it writes the kernel's golden
 * table. Read each changed row, and agree to it before you commit it.
 */
import { release } from "node:os";
import { argv, exit, stderr, stdout } from "node:process";
import type { EventMechanism } from "@svc/agent";
import { type Attack, listAttacks, runAttack, startAttackVictim } from "@svc/testing";
import { type AgentStage, startAgentStage } from "../../harness/agent/agent-stage.ts";
import { isAbout, processesOf } from "../../harness/agent/is-about.ts";
import { phraseOf } from "../../harness/agent/phrase-of.ts";
import { type AttackSight, type GoldenTable, writeGoldenTable } from "./golden-table.ts";

if (import.meta.main) await main(argv.slice(2));

async function main([word = "tracing", ...more]: readonly string[]): Promise<void> {
  const mechanism = (["tracing", "lsm", "fmod_ret"] as const).find((name) => name === word);
  const isWritten = more[0] === "--write";
  if (mechanism === undefined || more.length > (isWritten ? 1 : 0)) {
    const got = [word, ...more].join(" ");
    stderr.write(`usage: bun run-attacks.ts tracing | lsm | fmod_ret [--write]: got "${got}"\n`);
    exit(2);
  }
  const table: GoldenTable = {
    kernel: release(),
    mechanism,
    attacks: await runAttacks(mechanism),
  };
  if (isWritten) writeGoldenTable(table);
  else stdout.write(`${JSON.stringify(table, null, 2)}\n`);
}

/**
 * All attacks, each by a separate process on a separate victim: one that is traced or killed
 * harms no other.
 */
export async function runAttacks(
  mechanism: EventMechanism,
): Promise<Readonly<Record<string, AttackSight>>> {
  using agent = startAgentStage({ mechanism, watchNode: true });
  for (const refusal of agent.refused) stderr.write(`${refusal}\n`);
  const table: Record<string, AttackSight> = {};
  for (const attack of listAttacks()) table[attack.name] = await sightOf(attack, agent);
  return table;
}

async function sightOf({ name }: Attack, agent: AgentStage): Promise<AttackSight> {
  await using victim = await startAttackVictim();
  agent.violations();
  const { answer, pid } = await runAttack(name, victim, {
    before: () => agent.protect(victim.pid, 1n),
  });
  const encounter = { attacker: pid, victim: victim.pid };
  const events = agent.violations().filter((event) => isAbout(processesOf(event), encounter));
  return { seen: events.map(phraseOf), answer };
}
