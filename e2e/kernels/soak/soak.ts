/**
 * Boots a guest in which attacks, restarts and programs run at once for SOAK_MINUTES (30), and
 * prints the results: `bun e2e/kernels/soak/soak.ts`. It exits with 1 if an attack has succeeded or
 * was not reported, or if a record names another process. It does so, too, if a program did not get
 * on with its work, or if the kernel complains. SOAK_SEED has it do the same again; SOAK_KERNEL
 * names another guest.
 */
import { join } from "node:path";
import { env, exit, stdout } from "node:process";
import { attackProgram } from "@svc/testing";
import { buildBpf } from "../../../scripts/build/bpf.ts";
import { ensurePrograms } from "../../harness/programs/ensure-programs.ts";
import { exampleServer } from "../../harness/programs/example-server.ts";
import { ensureGuestTools } from "../ensure-guest-tools.ts";
import { guestImages } from "../guest-images.ts";
import { guestKernels } from "../guest-kernels.ts";
import { runInGuest } from "../run-in-guest.ts";
import type { SoakResults } from "./soak-results.ts";

const MINUTE_MS = 60_000;
const { SOAK_MINUTES: minutes = "30", SOAK_KERNEL: name = "debian-6.12" } = env;
const { SOAK_SEED: seed = String(Date.now() % 2 ** 31) } = env;

const guest = guestKernels.find((kernel) => kernel.name === name);
if (guest === undefined) throw new TypeError(`SOAK_KERNEL: there is no guest "${name}"`);
ensureGuestTools();
ensurePrograms();
// Builds the programs of a guest before it starts.
attackProgram(env);
exampleServer();
buildBpf(join(import.meta.dirname, "../../.."));
const image = (await guestImages([guest.image])).get(guest.image);
if (image === undefined) throw new TypeError(`there is no kernel ${guest.image}`);
if (image.machine.architecture !== process.arch) {
  throw new TypeError(`SOAK_KERNEL: "${name}" is of another architecture than the soak's programs`);
}
stdout.write(`soak: ${minutes} minutes on ${name}, SOAK_SEED=${seed}\n`);
// Our own program's words.
const results = (await runInGuest({
  ...{ image, settings: guest.settings, program: join(import.meta.dirname, "run-soak.ts") },
  variables: { SOAK_MINUTES: minutes, SOAK_SEED: seed, SOAK_KERNEL: name },
  deadlineMs: (Number(minutes) + 15) * MINUTE_MS,
})) as SoakResults;
exit(report(results) ? 0 : 1);

/** Prints the results; true if all of them are right. */
function report(found: SoakResults): boolean {
  const { attacks, successes, misses, strays, requests, chores, restarts, upgrades, warnings } =
    found;
  const made = Object.values(attacks).reduce((sum, times) => sum + times, 0);
  const lines = [
    `Linux ${found.release}: ${made} attacks of ${Object.keys(attacks).length} kinds`,
    `${restarts.length + 1 - upgrades} agents killed, ${upgrades} ended in order`,
    `${found.lost.length} attacks of the half second before an agent was killed were not reported`,
    `a new agent took ${Math.min(...restarts)} to ${Math.max(...restarts)} ms`,
    `${Object.values(chores.runs).reduce((sum, times) => sum + times, 0)} chores of administrators: ${JSON.stringify(chores.runs)}`,
    ...Object.entries(requests).map(([program, { answered }]) => `${program}: ${answered} answers`),
  ];
  const faults = [
    ...(found.broken === undefined ? [] : [`no agent starts any more: ${found.broken}`]),
    ...successes.map((text) => `not refused: ${text}`),
    ...misses.map((text) => `not reported: ${text}`),
    ...strays.map((text) => `reported, and not an attack: ${text}`),
    ...Object.entries(requests).flatMap(([program, { failures }]) =>
      failures.map((text) => `${program}: ${text}`),
    ),
    ...chores.faults.map((text) => `ordinary administration: ${text}`),
    ...warnings.map((text) => `the kernel: ${text}`),
  ];
  stdout.write(`${[...lines, ...faults].join("\n")}\n${faults.length} faults\n`);
  return faults.length === 0;
}
