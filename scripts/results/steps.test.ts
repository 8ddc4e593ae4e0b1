import { expect, test } from "bun:test";
import { Steps } from "./steps.ts";

/** Steps on a clock that the test moves. */
function stepsAt(): { steps: Steps; said: string[]; move: (seconds: number) => void } {
  const said: string[] = [];
  let now = 5000;
  const steps = new Steps(
    (line) => void said.push(line),
    () => now,
  );
  const move = (seconds: number): void => {
    now += seconds * 1000;
  };
  return { steps, said, move };
}

test("a step gives its result and a line, and a long one says so before", async () => {
  const { steps, said, move } = stepsAt();
  const bundle = () => {
    move(1.26);
    return 7;
  };
  expect(await steps.run("bundle", bundle)).toBe(7);
  await steps.run("compile", () => move(98), { aboutSeconds: 120 });
  expect(said).toEqual([
    "bundle: 1.3 s",
    "compile: this takes up to 120 s on two cores, once",
    "compile: 98.0 s",
  ]);
});

test("a step that had nothing to do, and one that failed, give no line", async () => {
  const { steps, said, move } = stepsAt();
  await steps.run("fetch", () => move(0.01));
  const failing = steps.run("compile", () => {
    move(9);
    throw new Error("no compiler");
  });
  await expect(failing).rejects.toThrow("no compiler");
  expect(said).toEqual([]);
  expect(steps.summary()).toBe("9.0 s");
});

test("the summary has the time of all and the three longest steps", async () => {
  const { steps, move } = stepsAt();
  for (const [name, seconds] of [
    ["one", 2],
    ["two", 30],
    ["three", 1],
    ["four", 4],
  ] as const) {
    await steps.run(name, () => move(seconds));
  }
  expect(steps.summary()).toBe("37.0 s, two 30.0 s, four 4.0 s, one 2.0 s");
});
