import { Steps } from "../results/steps.ts";
import { cargo } from "./toolchain/run-cargo.ts";

// Checks the format of engine/, lints and tests it: `bun scripts/engine/check-engine.ts`. A
// toolchain without rustfmt or clippy leaves that part out, and the output says so.

/** @throws Error if something is wrong. */
async function checkEngine(): Promise<void> {
  const steps = new Steps((line) => void process.stdout.write(`engine: ${line}\n`));
  const run = (...words: readonly string[]) =>
    steps.run(`cargo ${words[0]}`, () => cargo({ words, say: steps.say }, () => undefined));
  if (has("fmt")) await run("fmt", "--all", "--check");
  if (has("clippy")) {
    await steps.run("cargo clippy", () =>
      cargo(
        { words: ["clippy", "--all-targets"], own: ["-D", "warnings"], say: steps.say },
        () => undefined,
      ),
    );
  }
  await run("test");
}

function has(command: "fmt" | "clippy"): boolean {
  if (Bun.which("cargo") !== null) {
    const { exitCode } = Bun.spawnSync(["cargo", command, "--version"], { stderr: "ignore" });
    if (exitCode === 0) return true;
  }
  process.stdout.write(`engine: cargo ${command} is not installed: left out\n`);
  return false;
}

await checkEngine();
