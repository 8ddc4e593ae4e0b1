/**
 * Runs every fuzz target of the Go library for a fixed number of inputs:
 * `bun scripts/fuzz-go.ts [N]`. Go writes an input that fails into testdata/fuzz beside the target;
 * committed there it is a test. Closes with the lines of `bun test`, a target being one.
 */
import { join } from "node:path";
import { type FuzzTarget, fuzzTargets } from "./go/fuzz-targets.ts";
import { runGo } from "./go/go-command.ts";

/** A second or two for each target. */
const INPUTS = 20_000;

const library = { folder: join(import.meta.dirname, "..", "go") };

process.exit(fuzz(process.argv[2] ?? String(INPUTS)));

function fuzz(inputs: string): number {
  if (!/^[1-9]\d*$/.test(inputs)) {
    process.stderr.write(`usage: bun scripts/fuzz-go.ts [N]: got "${inputs}"\n`);
    return 2;
  }
  const { exitCode, stdout, stderr } = runGo(["test", "-list", "^Fuzz", "-json", "./..."], library);
  if (exitCode !== 0) {
    process.stderr.write(`list fuzz targets: ended with ${exitCode}\n${stdout}${stderr}`);
    return 1;
  }
  const targets = fuzzTargets(stdout);
  const failed = targets.filter((target) => !passes(target, inputs)).length;
  process.stderr.write(` ${targets.length - failed} pass\n ${failed} fail\n`);
  return failed > 0 || targets.length === 0 ? 1 : 0;
}

function passes({ packageName, name }: FuzzTarget, inputs: string): boolean {
  const words = ["-run=^$", `-fuzz=^${name}$`, `-fuzztime=${inputs}x`, packageName];
  const { exitCode, stdout, stderr } = runGo(["test", ...words], library);
  process.stdout.write(`${name}\n${stdout}${stderr}`);
  return exitCode === 0;
}
