/**
 * Runs one script of calls on the real kernel, or all on the simulated one, and prints a JSON
 * document. In a process apart: scripts wait for any child, and lower limits.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scripts } from "../src/conformance/all-scripts.ts";
import type { Outcome, Script } from "../src/conformance/calls/kernel-under-test.ts";
import { realKernel } from "../src/conformance/real-kernel.ts";
import { blockedAtStart } from "../src/conformance/scripts/signals.ts";
import { simpler } from "../src/conformance/simpler.ts";
import { onSimulatedKernel } from "../src/conformance/simulated-kernel.ts";

const [side = "", part = "", name = ""] = process.argv.slice(2);
const script =
  part === "simpler" ? simpler.find((row) => row.name === name)?.script : scripts[part]?.[name];
if (script === undefined) throw new Error(`there is no script ${part}: ${name}`);
process.stdout.write(JSON.stringify(side === "real" ? onRealKernel(script) : simulated(script)));

function onRealKernel(found: Script): readonly Outcome[] {
  const folder = mkdtempSync(join(tmpdir(), "svc-conforms-"));
  try {
    return found(realKernel(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function simulated(found: Script): readonly Outcome[] {
  return onSimulatedKernel(found, blockedAtStart);
}
