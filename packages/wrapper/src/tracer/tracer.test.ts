import { describe, expect, test } from "bun:test";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { doingThenSleeping } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  environment,
  leadIntoRegion,
  namesOnly,
  play,
  type Scene,
  sceneOf,
  secrets,
  startsChild,
  touchedBy,
  untouched,
} from "../../testdata/traced-machine/scene.ts";
import { endProcess, signalThread } from "../../testdata/traced-machine/stops.ts";
import { injection } from "../../testdata/traced-machine/traced-life.ts";

const SERVER = "/bin/server";
const EPERM = 1;
const ENOMEM = 12;
const EBADF = 9;
const EINVAL = 22;

describe("a program at its first instruction", () => {
  const rows: readonly (readonly [name: string, scene: Scene])[] = [
    ["that follows nothing", { follow: "off" }],
    ["whose execs are announced", { follow: "notify" }],
    ["that is traced for life", { follow: "trace" }],
    ["with a locked region", { region: { kind: "memfd" } }],
    ["with a region that has to be locked", { region: { kind: "memfd", mustLock: true } }],
    ["with values that can be replaced", { follow: "notify", region: { slotBytes: 4096 } }],
    ["while programs go on between two calls", { prepare: (machine) => (machine.isQuick = true) }],
    ["after the courier's own execve", { before: [{ kind: "execute", path: "/bin/missing" }] }],
  ];
  for (const [name, scene] of rows) {
    test(`${name} has its values, and is as execve has left it otherwise`, () => {
      using life = play(scene);
      const { courier, machine } = life;
      const beginning = beginningOf(life, SERVER);
      expect(beginning.variables).toEqual({ ...environment, ...secrets });
      expect(leadIntoRegion(courier)).toBe(true);
      expect(beginning.environ).toBe(namesOnly);
      expect(beginning.argv).toEqual([SERVER]);
      expect(touchedBy(beginning)).toEqual(untouched(life, SERVER));
      expect(beginning.isTraced).toBe(scene.follow === "trace");
      expect(courier.descriptors.has(7)).toBe(scene.follow === "trace");
      expect(life.tracer.failure).toBeUndefined();
      expect(life.told).toEqual([BigInt(courier.environmentStart)]);
      expect([courier.end, machine.openFiles.count, life.unprotected]).toEqual([undefined, 0, 0]);
    });
  }

  test("has its region in locked pages outside of dumps, if it is plain memory", () => {
    using life = play({ region: { kind: "memfd" } });
    const region = life.courier.memory.segments.find(({ isShared }) => isShared);
    expect(region).toMatchObject({ isLocked: true, isOutOfDumps: true });
  });

  test("has its region as it is, if the kernel keeps it secret", () => {
    using life = play({});
    const region = life.courier.memory.segments.find(({ isShared }) => isShared);
    expect([region?.isLocked, region?.isOutOfDumps]).toEqual([undefined, undefined]);
  });

  test("is known by the placement of its variables", () => {
    using life = play({});
    const { slots, memory } = life.courier;
    const region = memory.segments.find(({ isShared }) => isShared);
    expect(life.tracer.placement).toEqual({
      slotsAddress: slots,
      slotCount: 4,
      regionAddress: region?.start ?? 0,
      offsets: { DB_PASSWORD: 0, API_KEY: 28 },
      generation: 0,
    });
  });
});

describe("a program that cannot be prepared", () => {
  const lock = "8192 bytes cannot be locked there (RLIMIT_MEMLOCK)";
  const plain = { kind: "memfd", mustLock: true } as const;
  const refusing =
    (name: string, errno: number) =>
    (machine: TracedMachine): void => {
      machine.refusals.set(name, errno);
    };
  const rows: readonly (readonly [name: string, scene: Scene, why: string])[] = [
    ["maps nothing", { prepare: refusing("mmap", ENOMEM) }, lock],
    ["locks nothing", { region: plain, prepare: refusing("mlock", ENOMEM) }, lock],
    [
      "keeps pages in its dumps",
      { region: plain, prepare: refusing("madvise", EINVAL) },
      "madvise in the program: errno 22",
    ],
    [
      "does not close the region",
      { prepare: refusing("close", EBADF) },
      "close in the program: errno 9",
    ],
    ["has 32 bits", { server: { bits: 32 } }, "it is for another architecture"],
    [
      "has another environment",
      { environment: { PATH: "/bin", DB_PASSWORD: "" } },
      "the program's environment differs from its start",
    ],
    [
      "has a courier that sent no listener",
      { follow: "notify", sendsListener: false },
      "the courier has sent no listener",
    ],
    [
      "is refused its registers",
      { prepare: (machine) => (machine.plan = refusesAll("ptrace SETREGSET", EPERM)) },
      "ptrace: EPERM",
    ],
  ];
  for (const [name, scene, why] of rows) {
    test(`because it ${name} is killed before it begins`, () => {
      using life = play(scene);
      expect(life.courier.end).toEqual({ signal: 9 });
      expect(life.courier.beginnings).toEqual([]);
      expect(life.tracer.failure).toMatchObject({
        code: "DELIVERY_FAILED",
        message: `put the secrets into the program: ${why}`,
      });
      expect(life.lines).toEqual([]);
    });
  }

  test("is let go as it came if it is for another architecture", () => {
    const { machine, life } = sceneOf({ server: { bits: 32 } });
    using _ = machine;
    life.courier.leader.mask = 4n;
    life.run();
    // The tracer has put the mask back before it gave up.
    expect(machine.calls.filter((name) => name === "ptrace SETSIGMASK")).toHaveLength(2);
  });

  test("keeps its values although its pages are not locked, if they need not be", () => {
    const prepare = refusing("mlock", ENOMEM);
    using life = play({ region: { kind: "memfd" }, prepare });
    expect(beginningOf(life, SERVER).variables).toMatchObject(secrets);
  });

  test("is unmapped first, if its pages have to be locked", () => {
    using life = play({ region: plain, prepare: refusing("mlock", ENOMEM) });
    expect(life.courier.memory.segments.some(({ isShared }) => isShared)).toBe(false);
  });
});

describe("another plan", () => {
  test("`run` lets the program run as it is, untraced", () => {
    using life = play({ plan: { kind: "run" } });
    const beginning = beginningOf(life, SERVER);
    expect(beginning).toMatchObject({ variables: environment, isTraced: false });
    expect(touchedBy(beginning).text).toBe(untouched(life, SERVER).text);
    expect(life.tracer.placement).toBeUndefined();
    expect(life.told).toEqual([BigInt(life.courier.environmentStart)]);
  });

  test("`release` detaches from the courier before its execve", () => {
    using life = play({ plan: { kind: "release" }, server: { mode: 0o4755, uid: 12 } });
    expect(beginningOf(life, SERVER)).toMatchObject({ isTraced: false });
    expect(life.courier.effective).toBe(12);
    expect(life.told).toEqual([]);
  });

  test("`release` without its SIGSTOP leaves the program traced", () => {
    const actions = [{ kind: "execute", path: SERVER, environment } as const];
    using life = play({ plan: { kind: "release" }, before: actions });
    expect(beginningOf(life, SERVER).isTraced).toBe(true);
  });
});

describe("the promise `prepared`", () => {
  const settled = (promise: Promise<void>) =>
    Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);

  for (const plan of [injection(secrets), { kind: "run" }, { kind: "release" }] as const) {
    test(`waits for the execve of a plan to ${plan.kind}`, async () => {
      const { machine, life } = sceneOf({ plan });
      using _ = machine;
      expect(await settled(life.tracer.prepared)).toBe(false);
      life.run();
      expect(await settled(life.tracer.prepared)).toBe(true);
    });
  }

  test("is kept at once if the courier is not traced", async () => {
    const { machine, life } = sceneOf({ prepare: (own) => (own.procShows = "1") });
    using _ = machine;
    expect(life.tracing.kind).toBe("impossible");
    expect(await settled(life.tracer.prepared)).toBe(true);
  });
});

describe("signals on the way", () => {
  const SIGUSR1 = 10;
  const SIGSTOP = 19;
  const SIGCONT = 18;
  const server = {
    behavior: doingThenSleeping({ kind: "sleep" }),
  };

  test("one that waits reaches the program once it runs", () => {
    const { machine, life } = sceneOf({ server });
    using _ = machine;
    const { leader } = life.courier;
    machine.plan = ({ name, index }) => {
      if (name === "ptrace GETREGSET" && index < 40) signalThread(machine, leader, SIGUSR1);
    };
    life.run();
    expect(life.courier.end).toEqual({ signal: SIGUSR1 });
    expect(life.courier.beginnings).toEqual([]);
  });

  test("SIGSTOP, which nothing blocks, is held back until the values are there", () => {
    const { machine, life } = sceneOf({ server });
    using _ = machine;
    const { leader } = life.courier;
    let stops = 0;
    machine.plan = ({ name }) => {
      if (name !== "ptrace SYSCALL" || stops > 0) return;
      stops += 1;
      signalThread(machine, leader, SIGSTOP);
    };
    life.run();
    expect(leader.state).toBe("t");
    expect(life.courier.beginnings).toEqual([]);
    signalThread(machine, leader, SIGCONT);
    machine.plan = () => undefined;
    life.run();
    expect(beginningOf(life, SERVER).variables).toMatchObject(secrets);
  });

  test("a fault on the way ends the program", () => {
    const { machine, life } = sceneOf({ server });
    using _ = machine;
    const { leader } = life.courier;
    machine.plan = ({ name }) => {
      if (name !== "ptrace SYSCALL") return;
      leader.pending.push(11);
      leader.mask = 0n;
    };
    life.run();
    expect(life.courier.end).toEqual({ signal: 9 });
    expect(life.tracer.failure?.message).toContain("signal 11 while the program was prepared");
  });
});

test("the end of a program is not reported as a failure to prepare it", () => {
  const { machine, life } = sceneOf({});
  using _ = machine;
  machine.plan = ({ name }) => {
    if (name === "ptrace POKEDATA") endProcess(machine, life.courier, { signal: 9 });
  };
  life.run();
  expect([life.tracer.failure, life.tracer.placement]).toEqual([undefined, undefined]);
});

test("a tracer that follows nothing leaves descendants alone", () => {
  using life = play({ steps: [startsChild] });
  expect(life.tracer.follows).toBe(false);
  expect(life.tracer.unprotected).toBe(0);
  expect(beginningOf(life).isTraced).toBe(false);
});
