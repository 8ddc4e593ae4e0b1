/**
 * Changes the code in many small ways, one at a time, and looks whether a unit test fails each
 * time: `bun scripts/mutation.ts [AREA …]`. It prints the changes that no test noticed, and exits 1
 * if an area's tests notice fewer than LEAST_PERCENT of them.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Area, areas } from "./mutation/areas.ts";
import { lockedModules } from "./needs/locked-modules.ts";

/** The longest that one test may take on a busy machine. */
const TEST_MS = "60000";
/** The least share of noticed changes of an area. Some change nothing that a caller can see. */
const LEAST_PERCENT = 90;

const root = join(import.meta.dirname, "..");
const manifest = join(import.meta.dirname, "mutation");

process.exit(run(process.argv.slice(2)));

function run(names: readonly string[]): number {
  const unknown = names.filter((name) => areas.every((area) => area.name !== name));
  if (unknown.length > 0) {
    process.stderr.write(`mutation: no such area: ${unknown.join(", ")}\n`);
    process.stderr.write(`hint: there are ${areas.map(({ name }) => name).join(", ")}\n`);
    return 2;
  }
  const stryker = join(lockedModules(manifest), "@stryker-mutator/core/bin/stryker.js");
  const wanted = areas.filter(({ name }) => names.length === 0 || names.includes(name));
  const failed = wanted.filter((area) => runArea(area, stryker) !== 0);
  for (const { name } of failed) {
    process.stderr.write(`mutation: ${name}: its tests notice too little\n`);
  }
  return failed.length === 0 ? 0 : 1;
}

function runArea({ name, files, tests }: Area, stryker: string): number {
  const work = join(root, "dist/mutation", name);
  mkdirSync(work, { recursive: true });
  const settings = join(work, "stryker.json");
  writeFileSync(settings, JSON.stringify({ ...settingsOf(files, tests), tempDirName: work }));
  const { exitCode } = Bun.spawnSync([process.execPath, stryker, "run", settings], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  rmSync(work, { recursive: true, force: true });
  return exitCode;
}

/** https://stryker-mutator.io/docs/stryker-js/configuration */
function settingsOf(files: readonly string[], tests: readonly string[]) {
  return {
    testRunner: "command",
    commandRunner: {
      command: [process.execPath, "test", "--timeout", TEST_MS, ...tests].join(" "),
    },
    mutate: [...files, "!**/*{.,-}test.ts", "!**/testdata/**"],
    // Tests compare the texts that matter; most are for people.
    mutator: { excludedMutations: ["StringLiteral"] },
    ignorePatterns: ["/dist", "/docs", "/e2e", "/engine", "/go", "/deploy"],
    reporters: ["clear-text"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    thresholds: { high: 100, low: LEAST_PERCENT, break: LEAST_PERCENT },
    // Each change would take one core, and tests of files are slow enough.
    concurrency: 2,
    // The checkout's is the only one, and needs no change for a copy.
    tsconfigFile: "none",
    disableTypeChecks: true,
    allowEmpty: false,
    cleanTempDir: "always",
  };
}
