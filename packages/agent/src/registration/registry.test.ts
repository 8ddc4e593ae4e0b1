import { expect, test } from "bun:test";
import { type Registrant, Registry } from "./registry.ts";

const registrant: Registrant = {
  named: { container: "web" },
  cgroup: "/",
  uid: 0,
  by: "socket",
  wrapper: { pid: 10, startTicks: 1 },
};
const words = { delivery: "inject", keyCount: 2, protections: ["memfd_secret"] } as const;
const program = { pid: 20, startTicks: 5 };

test("numbers ascend from 1, and a wrapper that comes back has its own", () => {
  const registry = new Registry();
  const other = { ...registrant, wrapper: { pid: 11, startTicks: 1 } };
  expect([registrant, other, registrant].map((who) => registry.begin(who))).toEqual([1n, 2n, 1n]);
});

test("a later process of a wrapper's pid is another wrapper", () => {
  const registry = new Registry();
  registry.begin(registrant);
  expect(registry.begin({ ...registrant, wrapper: { pid: 10, startTicks: 9 } })).toBe(2n);
});

test("a stream that ends leaves its processes, also when the next has begun before", () => {
  const registry = new Registry();
  registry.begin(registrant);
  registry.add(1n, program, words);
  registry.begin(registrant);
  expect(registry.disconnect(1n)).toBe(false);
  expect(registry.counts()).toEqual({ registrations: 1, processes: 1, connected: 1 });
  expect(registry.disconnect(1n)).toBe(true);
  expect(registry.registrationOf(1n)).toMatchObject({ ...words, pids: [20], connected: false });
});

test("a process of a number that another one has had by now is not known", () => {
  const registry = new Registry();
  registry.begin(registrant);
  registry.add(1n, program, words);
  expect(registry.ofProcess(program)).toBe(1n);
  expect(registry.ofProcess({ ...program, startTicks: 6 })).toBeUndefined();
  registry.remove({ ...program, startTicks: 6 });
  expect(registry.processes()).toEqual([program]);
});

test("a process that is taken over leaves the registration that it had", () => {
  const registry = new Registry();
  registry.begin(registrant);
  registry.begin({ ...registrant, wrapper: { pid: 11, startTicks: 2 } });
  registry.add(1n, program, words);
  registry.add(2n, program, words);
  expect(registry.ofProcess(program)).toBe(2n);
  expect(registry.registrationOf(1n)?.pids).toEqual([]);
});

test("it is forgotten ten minutes after its stream and its last process", () => {
  let nowMs = 0;
  const registry = new Registry({ nowMs: () => nowMs });
  let changes = 0;
  registry.onChange(() => {
    changes += 1;
  });
  registry.begin(registrant);
  registry.add(1n, program, words);
  registry.disconnect(1n);
  registry.forget();
  registry.remove(program);
  registry.forget();
  nowMs = 599_999;
  registry.forget();
  expect(registry.registrationOf(1n)).toBeDefined();
  nowMs = 600_000;
  registry.forget();
  expect(registry.registrationOf(1n)).toBeUndefined();
  expect(registry.ofWrapper({ pid: 10, startTicks: 1 })).toBeUndefined();
  expect(changes).toBe(5);
});
