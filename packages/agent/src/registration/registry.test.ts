import { describe, expect, test } from "bun:test";
import type { Ledger } from "./ledger.ts";
import type { KnownRegistration, LedgerNote } from "./ledger-text.ts";
import { type Registrant, Registry } from "./registry.ts";

const registrant: Registrant = {
  named: { container: "web" },
  cgroup: "/",
  uid: 0,
  by: "socket",
  wrapper: { pid: 10, startTicks: 1 },
};
const words = { delivery: "inject", keyCount: 2, protections: ["memfd_secret"] } as const;
const program = { pid: 20, startTicks: 5, bareEnvironment: 0n };

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
  registry.disconnect(1n);
  expect(registry.counts()).toEqual({ registrations: 1, processes: 1, connected: 1 });
  registry.disconnect(1n);
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

describe("a registry that begins with notes of an agent before", () => {
  const known: readonly KnownRegistration[] = [
    { registration: 7n, wrapper: { pid: 10, startTicks: 1 }, processes: [program] },
    { registration: 5n, wrapper: { pid: 11, startTicks: 2 }, processes: [] },
  ];
  const noted = (known: readonly KnownRegistration[] = []) => {
    const notes: LedgerNote[] = [];
    let tidied: readonly KnownRegistration[] | undefined;
    const ledger: Ledger = {
      known,
      note: (note) => void notes.push(note),
      tidy: (all) => {
        tidied = all();
      },
    };
    return { ledger, notes, tidied: () => tidied };
  };

  test("knows wrappers and processes, and takes them for disconnected", () => {
    const registry = new Registry({ ledger: noted(known).ledger });
    expect(registry.ofWrapper({ pid: 10, startTicks: 1 })).toBe(7n);
    expect(registry.ofWrapper({ pid: 10, startTicks: 2 })).toBeUndefined();
    expect(registry.ofProcess(program)).toBe(7n);
    expect(registry.wrapperOf(5n)).toEqual({ pid: 11, startTicks: 2 });
    expect(registry.counts()).toEqual({ registrations: 2, processes: 1, connected: 0 });
  });

  test("gives a wrapper that comes back its own number, and others new ones", () => {
    const registry = new Registry({ ledger: noted(known).ledger });
    expect(registry.begin(registrant)).toBe(7n);
    expect(registry.counts().connected).toBe(1);
    expect(registry.begin({ ...registrant, wrapper: { pid: 12, startTicks: 3 } })).toBe(8n);
  });

  test("notes a wrapper once, and a process once for each environment", () => {
    const { ledger, notes } = noted();
    const registry = new Registry({ ledger });
    registry.begin(registrant);
    registry.begin(registrant);
    registry.add(1n, program, words);
    registry.add(1n, program, words);
    registry.add(1n, { ...program, startTicks: 6 }, words);
    registry.add(1n, { ...program, startTicks: 6, bareEnvironment: 9n }, words);
    expect(notes).toEqual([
      { what: "wrapper", registration: 1n, process: { pid: 10, startTicks: 1 } },
      { what: "process", registration: 1n, process: program },
      { what: "process", registration: 1n, process: { ...program, startTicks: 6 } },
      {
        ...{ what: "process", registration: 1n },
        process: { ...program, startTicks: 6, bareEnvironment: 9n },
      },
    ]);
  });

  test("notes nothing of a wrapper that the kernel has not named", () => {
    const { ledger, notes, tidied } = noted();
    const registry = new Registry({ ledger });
    const { wrapper: _, ...remote } = registrant;
    registry.begin(remote);
    registry.add(1n, program, words);
    registry.forget();
    expect(notes).toEqual([]);
    expect(tidied()).toEqual([]);
  });

  test("tells the ledger all that it knows", () => {
    const { ledger, tidied } = noted(known);
    new Registry({ ledger }).forget();
    expect(tidied()).toEqual(known);
  });
});

describe("a number", () => {
  test("begins at the given number", () => {
    expect(new Registry({ first: 40n }).begin(registrant)).toBe(40n);
  });

  test("that an agent before gave is given again, unless another wrapper has it", () => {
    const registry = new Registry();
    expect(registry.begin(registrant, 9n)).toBe(9n);
    expect(registry.begin({ ...registrant, wrapper: { pid: 11, startTicks: 1 } }, 9n)).toBe(1n);
    expect(registry.begin(registrant, 3n)).toBe(9n);
  });
});

describe("the facts of a registration", () => {
  test("is the wrapper's and the kernel's, without the wrapper's process", () => {
    const registry = new Registry({ nowMs: () => 77 });
    registry.begin(registrant);
    const { wrapper: _, ...rest } = registrant;
    expect(registry.registrationOf(1n)).toEqual({
      ...rest,
      ...{ registration: 1n, delivery: "unknown", keyCount: 0, protections: [] },
      ...{ pids: [], sinceMs: 77, connected: true },
    });
  });

  test("follows the words of a wrapper that comes back", () => {
    const registry = new Registry();
    registry.begin(registrant);
    registry.begin({ ...registrant, named: { container: "api" } });
    expect(registry.registrationOf(1n)?.named).toEqual({ container: "api" });
  });

  test("is nothing if the number is not known", () => {
    const registry = new Registry();
    registry.add(1n, program, words);
    expect(registry.registrationOf(1n)).toBeUndefined();
    expect(registry.wrapperOf(1n)).toBeUndefined();
    registry.disconnect(1n);
    expect(registry.processCount(1n)).toBe(0);
    expect(registry.ofProcess(program)).toBeUndefined();
    registry.remove(program);
    expect(registry.counts()).toEqual({ registrations: 0, processes: 0, connected: 0 });
  });

  test("counts its processes", () => {
    const registry = new Registry();
    registry.begin(registrant);
    registry.add(1n, program, words);
    registry.add(1n, { ...program, pid: 21 }, words);
    expect(registry.processCount(1n)).toBe(2);
    registry.remove(program);
    expect(registry.processCount(1n)).toBe(1);
  });
});

test("a listener hears of every change, until it stops", () => {
  const registry = new Registry();
  let changes = 0;
  const end = registry.onChange(() => {
    changes += 1;
  });
  registry.begin(registrant);
  registry.begin(registrant);
  registry.add(1n, program, words);
  registry.remove(program);
  registry.disconnect(1n);
  expect(changes).toBe(5);
  end();
  registry.disconnect(1n);
  expect(changes).toBe(5);
});

describe("a registration without processes is remembered for ten minutes", () => {
  const gone = () => {
    const clock = { nowMs: 0 };
    const registry = new Registry({ nowMs: () => clock.nowMs });
    registry.begin(registrant);
    registry.disconnect(1n);
    registry.forget();
    return { registry, clock };
  };

  test("from when it was found to be gone", () => {
    const { registry, clock } = gone();
    clock.nowMs = 599_999;
    registry.forget();
    expect(registry.counts().registrations).toBe(1);
    clock.nowMs = 600_000;
    registry.forget();
    expect(registry.counts().registrations).toBe(0);
  });

  test("and as long as its wrapper is there", () => {
    const { registry, clock } = gone();
    registry.begin(registrant);
    clock.nowMs = 600_000;
    registry.forget();
    expect(registry.counts().registrations).toBe(1);
    registry.disconnect(1n);
    registry.forget();
    clock.nowMs = 1_199_999;
    registry.forget();
    expect(registry.counts().registrations).toBe(1);
  });

  test("and as long as a process is there, which restarts the time", () => {
    const { registry, clock } = gone();
    registry.add(1n, program, words);
    clock.nowMs = 600_000;
    registry.forget();
    registry.remove(program);
    registry.forget();
    clock.nowMs = 1_199_999;
    registry.forget();
    expect(registry.counts().registrations).toBe(1);
  });

  test("and leaves a later wrapper of the same pid alone", () => {
    const { registry, clock } = gone();
    const later = { ...registrant, wrapper: { pid: 10, startTicks: 9 } };
    registry.begin(later);
    clock.nowMs = 600_000;
    registry.forget();
    expect(registry.ofWrapper(later.wrapper)).toBe(2n);
  });
});

test("a wrapper that the kernel has not named gets a new number each time, and is forgotten", () => {
  const clock = { nowMs: 0 };
  const registry = new Registry({ nowMs: () => clock.nowMs });
  const { wrapper: _, ...remote } = registrant;
  expect([registry.begin(remote), registry.begin(remote)]).toEqual([1n, 2n]);
  registry.disconnect(1n);
  registry.forget();
  clock.nowMs = 600_000;
  registry.forget();
  expect(registry.registrationOf(1n)).toBeUndefined();
  expect(registry.registrationOf(2n)).toMatchObject({ connected: true });
});

test("a process that is named again keeps its place", () => {
  const registry = new Registry();
  registry.begin(registrant);
  registry.add(1n, program, words);
  registry.add(1n, { ...program, pid: 21 }, words);
  registry.add(1n, program, { ...words, keyCount: 9 });
  expect(registry.registrationOf(1n)).toMatchObject({ pids: [20, 21], keyCount: 9 });
});

test("the versions of a program are its wrapper's last words, until it is forgotten", () => {
  let nowMs = 0;
  const registry = new Registry({ nowMs: () => nowMs });
  registry.begin(registrant);
  registry.begin({ ...registrant, podUid: "uid", wrapper: { pid: 11, startTicks: 1 } });
  const secret = { path: "secret/data/app", version: 3, since: "2026-11-28T10:00:00.000Z" };
  registry.holds(2n, [secret]);
  registry.holds(2n, [{ ...secret, version: 4 }]);
  registry.holds(9n, [secret]);
  const told = { registration: 2n, podUid: "uid", named: { container: "web" }, connected: true };
  expect(registry.versions()).toEqual([{ ...told, secrets: [{ ...secret, version: 4 }] }]);
  registry.disconnect(2n);
  expect(registry.versions()).toMatchObject([{ registration: 2n, connected: false }]);
  registry.forget();
  nowMs = 600_000;
  registry.forget();
  expect(registry.versions()).toEqual([]);
});
