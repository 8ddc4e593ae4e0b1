/**
 * Runs in a guest for many minutes: attacks, an agent that is killed and comes again, and programs
 * that do their work all the while: `bun e2e/kernels/soak/run-soak.ts RESULTS`.
 */
import { writeFileSync } from "node:fs";
import { release } from "node:os";
import { argv, env, stdout } from "node:process";
import { attackProgram, listAttacks, runAttack, temporaryFolder, waitFor } from "@svc/testing";
import { type Chores, startChores } from "../../harness/agent/chores.ts";
import { processesOf } from "../../harness/agent/is-about.ts";
import type { RunningAgent } from "../../harness/agent/running-agent.ts";
import { lineReader } from "../../harness/processes/line-reader.ts";
import type { EnforcedSight } from "../enforced-table.ts";
import { type EnforcingAgent, startEnforcingAgent } from "../guest/enforcing-agent.ts";
import { goldenTable } from "../kernel-table.ts";
import { kernelWarnings } from "./kernel-warnings.ts";
import { type Random, seededRandom } from "./random.ts";
import type { SoakResults } from "./soak-results.ts";
import { type ToldAttacks, toldAttacks } from "./told-attacks.ts";
import { startWorkloads, type Workload } from "./workloads.ts";
import { startWrapped } from "./wrapped-program.ts";

const SECOND = 1000;
const minutes = Number(env["SOAK_MINUTES"]);
const seed = Number(env["SOAK_SEED"]);
const kernel = env["SOAK_KERNEL"] ?? "";

writeFileSync(argv[2] ?? "", JSON.stringify(await soak(), undefined, 2));
process.exit(0);

interface Prey {
  readonly pid: number;
  readonly address: bigint;
  readonly descriptor: number;
}

/** The lives of agents, one after the other. */
interface Lives {
  readonly folder: string;
  readonly first: EnforcingAgent;
  readonly prey: Prey;
  readonly story: Story;
  readonly random: Random;
  readonly goesOn: () => boolean;
}

/** The attacks that were made. */
interface Story {
  readonly told: ToldAttacks;
  /** How often each was made. */
  readonly attacks: Map<string, number>;
  readonly successes: string[];
}

async function soak(): Promise<SoakResults> {
  using folder = temporaryFolder();
  const random = seededRandom(seed);
  const story: Story = { told: toldAttacks(kindsOf), attacks: new Map(), successes: [] };
  const first = await startEnforcingAgent(folder.path);
  const { socketPath } = first.agent;
  const workloads = await startWorkloads(folder.path, socketPath);
  const prey = await startPrey(folder.path, socketPath);
  const chores = startChores(() => [prey.pid, ...workloads.flatMap(({ pid }) => pid() ?? [])]);
  say("everything works");
  const endMs = performance.now() + minutes * 60 * SECOND;
  let isBroken = false;
  const goesOn = () => !isBroken && performance.now() < endMs;
  const restarting = async () => {
    const lives = await restartOften({ folder: folder.path, first, prey, story, random, goesOn });
    isBroken = lives.broken !== undefined;
    return lives;
  };
  const [requests, { restarts, upgrades, broken }] = await Promise.all([
    askOften(workloads, goesOn),
    restarting(),
    attackOften(prey, story, random, goesOn),
    administerOften(chores, goesOn),
  ]);
  chores.end();
  const { told, attacks, successes } = story;
  const strays = told.strays().filter((record) => !chores.explains(record));
  return {
    ...{ release: release(), seed, minutes, attacks: Object.fromEntries(attacks), successes },
    ...{ misses: told.misses(), lost: told.lost(), requests },
    strays: strays.map((record) => JSON.stringify(record)),
    ...{ restarts, upgrades, broken, warnings: kernelWarnings() },
    chores: { runs: chores.runs(), faults: chores.faults() },
  };
}

/** A victim whose memory attackers know. */
async function startPrey(folder: string, socketPath: string): Promise<Prey> {
  const words = [attackProgram(env), "--victim"];
  // Else it would put something into its environment, and execute itself.
  const environment = { SVC_ATTACK_CANARY: "none" };
  const { stdout } = startWrapped(words, { folder, socketPath }, environment);
  const [pid, address, descriptor] = (await lineReader(stdout)()).split(" ");
  return { pid: Number(pid), address: BigInt(address ?? 0), descriptor: Number(descriptor) };
}

async function askOften(
  workloads: readonly Workload[],
  goesOn: () => boolean,
): Promise<SoakResults["requests"]> {
  const askOne = async ({ name, ask }: Workload) => {
    const failures: string[] = [];
    let answered = 0;
    while (goesOn()) {
      try {
        await ask();
        answered += 1;
      } catch (error) {
        failures.push(String(error));
      }
      await Bun.sleep(200);
    }
    return [name, { answered, failures }] as const;
  };
  return Object.fromEntries(await Promise.all(workloads.map(askOne)));
}

/**
 * Killed by its control group, without a warning, or ended in order as for an upgrade. Attacks go
 * on meanwhile.
 */
async function restartOften({
  folder,
  first,
  prey,
  story,
  random,
  goesOn,
}: Lives): Promise<Pick<SoakResults, "restarts" | "upgrades" | "broken">> {
  const { told } = story;
  const restarts: number[] = [];
  let upgrades = 0;
  let guard = first;
  for (;;) {
    const endMs = performance.now() + (5 + 40 * random.next()) * SECOND;
    while (goesOn() && performance.now() < endMs) await Bun.sleep(SECOND);
    const isLast = !goesOn();
    if (isLast) await untilAllIsReported(guard.agent, prey, told);
    if (random.pick(["crash", "upgrade"]) === "crash") {
      told.killing();
      told.mayBeTold(await guard.end());
    } else {
      upgrades += 1;
      await guard.agent.kill("SIGTERM");
    }
    // Its output is in the pipe.
    await Bun.sleep(SECOND * random.next());
    told.told(guard.agent.records());
    if (isLast) return { restarts, upgrades };
    const startMs = performance.now();
    try {
      guard = await startEnforcingAgent(folder);
    } catch (error) {
      return { restarts, upgrades, broken: String(error) };
    }
    restarts.push(Math.round(performance.now() - startMs));
    say(`${restarts.length} restarts, ${told.misses().length} attacks not reported yet`);
  }
}

/**
 * A new agent first reports the attempts of the time without one. On a busy machine that takes a
 * while, and no later agent would report the rest. Events come in their order: a last attack's
 * record ends those before it.
 */
async function untilAllIsReported(
  agent: RunningAgent,
  prey: Prey,
  told: ToldAttacks,
): Promise<void> {
  const { pid } = await runAttack("ptrace-attach", prey);
  told.made(pid, "ptrace-attach");
  const isReported = () => agent.records().some((record) => processesOf(record).actor === pid);
  await waitFor(isReported, { deadlineMs: 300_000, what: "the record of the last attack" });
  // Sums of an interval come at its end.
  await Bun.sleep(5 * SECOND);
}

/** Administrators' tools go on all the time. */
async function administerOften(chores: Chores, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await chores.runNext();
    await Bun.sleep(100);
  }
}

/** Those that the table says are refused, or answered with a kill before a byte is read. */
async function attackOften(
  prey: Prey,
  story: Story,
  random: Random,
  goesOn: () => boolean,
): Promise<void> {
  const golden = goldenTable(kernel).attacks;
  // The agent reports no reader of the environment of a wrapper's program: it has no value.
  const names = listAttacks().flatMap(({ name }) => (name.includes("environ") ? [] : [name]));
  const [some, ...more] = names.filter((name) => isStopped(golden[name]?.enforced));
  if (some === undefined) throw new TypeError(`on ${kernel} nothing is stopped`);
  while (goesOn()) {
    const name = random.pick([some, ...more]);
    const { pid, answer } = await runAttack(name, prey);
    story.told.made(pid, name);
    story.attacks.set(name, (story.attacks.get(name) ?? 0) + 1);
    // A killed attacker answers nothing.
    if (answer !== golden[name]?.enforced.answer && !/^(E.*)?$/.test(answer)) {
      story.successes.push(`${name}: ${answer}`);
    }
    await Bun.sleep(300 * random.next());
  }
}

/**
 * Without harm to the victim, which other attackers need. A kill has to hit the attacker: the actor
 * of some attacks is a child of the victim.
 */
function isStopped(sight: EnforcedSight | undefined): boolean {
  if (sight?.outcome !== "killed") return sight?.outcome === "blocked";
  return sight.answer === "killed" && sight.leaked === 0 && sight.victim === undefined;
}

/** The first word of a phrase of the table is the kind. */
function kindsOf(name: string): readonly string[] {
  return (goldenTable(kernel).attacks[name]?.seen ?? []).map(
    (phrase) => phrase.split(" ")[0] ?? "",
  );
}

function say(line: string): void {
  stdout.write(`${Math.round(performance.now() / SECOND)} s: ${line}\n`);
}
