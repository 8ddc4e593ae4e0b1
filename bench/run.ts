/**
 * Measures the time for which the compiled wrapper keeps a program waiting, and the memory of its
 * supervisor. `bun bench/run.ts [--quick] [--json FILE] [--beside WRAPPER] [--envconsul PROGRAM]
 * [--only TEXT]…`. It asserts nothing; bench/README.md says how to read the figures.
 */
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stderr, stdout } from "node:process";
import {
  certificateAuthority,
  type OpenBao,
  startOpenBao,
  TestingError,
  temporaryFolder,
  writeSecret,
} from "@svc/testing";
import { compilePrograms, type Programs } from "./compile-programs.ts";
import { prepareEnvconsul } from "./envconsul.ts";
import { type MemoryUse, measureMemory } from "./measure-memory.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { type Measured, makeReport, renderReport } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { startStore } from "./start-store.ts";
import { timeStart } from "./time-start.ts";

const built = join(import.meta.dir, "../dist/bin/svc-wrapper");
const WARM_UP_ROUNDS = 2;

const options = readOptions(argv.slice(2));
if (options === undefined) {
  stderr.write(usage);
  exit(2);
}
if (!existsSync(built)) {
  stderr.write(`bench: ${built} does not exist: run bun scripts/build.ts\n`);
  exit(1);
}
await bench(options);

async function bench(options: BenchOptions): Promise<void> {
  const { budgetMs, jsonPath, besidePath, envconsulPath, only } = options;
  using folder = temporaryFolder();
  const programs = compilePrograms(folder.path);
  const authority = await certificateAuthority();
  using store = await startStore(await authority.issue());
  await using openBao = await openBaoIfFetched();
  // The page cache of a file that has lain for some minutes maps up to 5 ms slower.
  const wrapper = join(folder.path, "svc-wrapper");
  copyFileSync(built, wrapper);
  const coldWrapper = join(folder.path, "svc-wrapper-cold");
  copyFileSync(built, coldWrapper);
  const beside = besidePath === undefined ? undefined : join(folder.path, "svc-wrapper-beside");
  if (beside !== undefined && besidePath !== undefined) copyFileSync(besidePath, beside);
  const envconsul =
    envconsulPath === undefined ? undefined : prepareEnvconsul(folder.path, envconsulPath);
  const caPath = join(folder.path, "ca.pem");
  const jwtPath = join(folder.path, "jwt");
  writeFileSync(caPath, authority.certificatePem);
  writeFileSync(jwtPath, "e30.e30.e30");
  const all = scenarios({
    ...{ wrapper, coldWrapper, beside, envconsul, programs, store, caPath, jwtPath },
    ...(openBao && { openBao: { address: openBao.address, token: openBao.rootToken } }),
  });
  const list = all.filter(
    ({ name, command }) =>
      command.length === 0 || only.length === 0 || only.some((text) => name.includes(text)),
  );
  const report = makeReport(
    measureTimes(programs, list, budgetMs),
    await measureEachMemory(programs, list),
    new Date(),
  );
  stdout.write(`${renderReport(report)}\n`);
  if (jsonPath !== undefined) writeFileSync(jsonPath, `${JSON.stringify(report, undefined, 2)}\n`);
}

/** Rounds of all scenarios in turn, so that a slow moment of the machine falls on all of them. */
function measureTimes(
  programs: Programs,
  list: readonly Scenario[],
  budgetMs: number,
): readonly Measured[] {
  const measured = list.map((scenario): { scenario: Scenario; samplesMs: number[] } => ({
    scenario,
    samplesMs: [],
  }));
  const end = performance.now() + budgetMs;
  for (let round = 0; round <= WARM_UP_ROUNDS || performance.now() < end; round++) {
    for (const { scenario, samplesMs } of measured) {
      const ms = timeStart(programs, scenario);
      if (round >= WARM_UP_ROUNDS) samplesMs.push(ms);
    }
  }
  return measured;
}

/**
 * Every wrapper whose store answers at once, all at once: idle processes do not disturb another.
 */
function measureEachMemory(
  programs: Programs,
  list: readonly Scenario[],
): Promise<readonly MemoryUse[]> {
  const matters = list.filter(
    ({ command, storeDelayMs, coldFile }) =>
      command.length > 0 && storeDelayMs === 0 && coldFile === undefined,
  );
  return Promise.all(matters.map((scenario) => measureMemory(programs, scenario)));
}

async function openBaoIfFetched(): Promise<OpenBao | undefined> {
  try {
    const server = await startOpenBao();
    await writeSecret(server, "secret/data/app-0", { value: "x".repeat(32) });
    return server;
  } catch (error) {
    if (error instanceof TestingError && error.code === "BINARY_MISSING") return undefined;
    throw error;
  }
}
