import { describe, expect, test } from "bun:test";
import { scripts } from "./all-scripts.ts";
import type { Outcome } from "./calls/kernel-under-test.ts";
import { blockedAtStart } from "./scripts/signals.ts";
import { simpler } from "./simpler.ts";

const TIMEOUT_MS = 120_000;
const program = `${import.meta.dir}/../../testdata/conforms.ts`;
const blocking = `--block-signal=${blockedAtStart.join(",")}`;

for (const [part, named] of Object.entries(scripts)) {
  describe(`both kernels agree on ${part}`, () => {
    test.each(Object.keys(named))(
      "%s",
      async (name) => {
        const { real, simulated } = await onBoth(part, name);
        expect({ simulated }).toEqual({ simulated: real });
        expect(real.length).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  });
}

describe("the simulated kernel is simpler, and the table says so", () => {
  test.each(simpler.map(({ name }) => name))(
    "%s",
    async (name) => {
      const row = simpler.find((one) => one.name === name);
      const { real, simulated } = await onBoth("simpler", name);
      expect({ real, simulated }).toEqual({
        real: [...(row?.real ?? [])],
        simulated: [...(row?.simulated ?? [])],
      });
      expect(simulated).not.toEqual(real);
    },
    TIMEOUT_MS,
  );
});

interface Both {
  readonly real: readonly Outcome[];
  readonly simulated: readonly Outcome[];
}

async function onBoth(part: string, name: string): Promise<Both> {
  const real = await ask("real", part, name);
  return { real, simulated: await ask("simulated", part, name) };
}

async function ask(...words: readonly string[]): Promise<readonly Outcome[]> {
  // Threads of the runtime must not take signals of a script: each blocks them from its start.
  const command = ["env", blocking, process.execPath, program, ...words];
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"] });
  const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const status = await child.exited;
  if (status !== 0) throw new Error(`conforms.ts ended with ${status}: ${errors.slice(-2000)}`);
  return JSON.parse(text) as readonly Outcome[];
}
