import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { play } from "../../testdata/traced-machine/scene.ts";
import { registerLayouts } from "./register-layout.ts";

const preload = join(import.meta.dir, "../../testdata/as-arm64.ts");
const DEADLINE_MS = 120_000;
/** It makes thousands of runs. */
const slow = "dying-programs.test.ts";

/** The tests that run on the simulated kernel: it has the registers of either architecture. */
function testsOnTheMachine(): readonly string[] {
  return readdirSync(import.meta.dir)
    .filter((name) => name.endsWith(".test.ts") && name !== slow)
    .filter((name) => name !== basename(import.meta.path))
    .map((name) => join(import.meta.dir, name))
    .filter((path) => readFileSync(path, "utf8").includes("traced-machine"));
}

test("the simulated kernel has the architecture of its test process", () => {
  using life = play({});
  expect(life.courier.layout).toBe(registerLayouts[process.arch] ?? expect.unreachable());
});

test(
  "programs of arm64 are prepared as those of x86-64",
  () => {
    const tests = testsOnTheMachine();
    expect(tests.length).toBeGreaterThan(6);
    const command = [process.execPath, "test", "--preload", preload, ...tests];
    const { exitCode, stderr } = Bun.spawnSync(command);
    expect(exitCode, stderr.toString()).toBe(0);
    expect(stderr.toString()).toMatch(/\n 0 fail\n/);
  },
  DEADLINE_MS,
);
