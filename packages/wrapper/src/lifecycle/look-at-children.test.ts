import { afterEach, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import type { Observation } from "../life/life.ts";
import type { Logger } from "../log.ts";
import type { Program } from "./delivery.ts";
import { lookAtChildren } from "./look-at-children.ts";

const said: string[] = [];
const log = { warn: (message: string) => void said.push(message) } as Pick<
  Logger,
  "warn"
> as Logger;
const children: Bun.Subprocess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  said.length = 0;
});

/** A shell whose child has these variables, as a program of the wrapper. */
async function programWith(variables: Readonly<Record<string, string>>): Promise<Program> {
  const script = "env -i $ENTRIES /bin/sleep 60 & echo started; wait";
  const ENTRIES = Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
  const child = Bun.spawn(["/bin/sh", "-c", script], {
    env: { PATH: "/usr/bin:/bin", ENTRIES },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await child.stdout.getReader().read();
  // The parts that a look needs.
  const part = { child: { pid: child.pid }, secrets: { variables: ["DB_USER", "DB_PASSWORD"] } };
  return part as unknown as Program;
}

const isCounted = (look: { readonly count: number }) =>
  waitFor(() => look.count > 0, { deadlineMs: 30_000, what: "a look to count a child" });

test("a child that shows a value is counted once, observed and named", async () => {
  const observed: Observation[] = [];
  const observe = (one: Observation) => void observed.push(one);
  const program = await programWith({ DB_USER: "user-canary", OTHER: "x" });
  using look = lookAtChildren({ log, observe }, program);
  await isCounted(look);
  expect(look.count).toBe(1);
  expect(observed).toEqual([{ kind: "unprotected program" }]);
  expect(said).toEqual([
    expect.stringMatching(/^a program that was started has plain values: the interposer is not/),
  ]);
  expect(said.join()).not.toContain("user-canary");
});

test("a child without the variables is not counted, nor one whose value is empty", async () => {
  let looks = 0;
  const program = await programWith({ DB_USER: "", OTHER: "user-canary" });
  using shown = await showing();
  using look = lookAtChildren({ log, observe: () => void looks++ }, program);
  // A second program shows that a look is over.
  await isCounted(shown.look);
  expect([look.count, looks, said.length]).toEqual([0, 0, 1]);
});

test("nothing is looked at any more once it was disposed of", async () => {
  const program = await programWith({ DB_USER: "user-canary" });
  const look = lookAtChildren({ log, observe: () => undefined }, program);
  look[Symbol.dispose]();
  using shown = await showing();
  await isCounted(shown.look);
  expect(look.count).toBe(0);
});

/** A look that begins now, and will count one. */
async function showing() {
  const program = await programWith({ DB_PASSWORD: "shown" });
  const look = lookAtChildren({ log, observe: () => undefined }, program);
  return { look, [Symbol.dispose]: () => look[Symbol.dispose]() };
}
