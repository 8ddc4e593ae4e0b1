import { describe, expect, test } from "bun:test";
import { isPlain } from "../../testdata/traced-machine/broken-promises.ts";
import { goProgram } from "../../testdata/traced-machine/elf-files.ts";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing, doingThenSleeping } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  leadIntoRegion,
  namesOnly,
  play,
  processOf,
  type Scene,
  secrets,
  startsChild,
  touchedBy,
  untouched,
} from "../../testdata/traced-machine/scene.ts";

const CHILD = "/bin/child";
const executesChild: Action = { kind: "execute", path: CHILD };
const notify = { follow: "notify" } as const;
const trace = { follow: "trace" } as const;
const slots = { region: { slotBytes: 4096 } } as const;
const plain = { kind: "memfd", mustLock: true } as const;

/** The ways by which a descendant is prepared. */
const ways: readonly (readonly [name: string, scene: Scene])[] = [
  ["by itself", notify],
  ["by itself, in plain memory", { ...notify, region: { kind: "memfd" } }],
  ["on the page that it begins in, as its values can be replaced", { ...notify, ...slots }],
  [
    "on that page, as the kernel has no vDSO",
    { ...notify, prepare: (machine) => (machine.hasVdso = false) },
  ],
  ["on that page, as its vDSO is elsewhere", { ...notify, child: { firstAuxiliary: 16 } }],
  [
    "on that page, as the vDSO has no room",
    { ...notify, prepare: (machine) => machine.vdso.fill(1, 0x1200) },
  ],
  ["word by word", { ...trace, prepare: (machine) => (machine.plan = refusesAll("open mem", 13)) }],
  [
    "by ptrace, as /proc/PID/mem is not writable",
    { ...trace, prepare: (machine) => (machine.isMemoryWritable = false) },
  ],
  ["as one that is traced for life", trace],
  ["as one that is traced for life, with values that can be replaced", { ...trace, ...slots }],
];

/** The ways by which a program starts another one. */
const starts: readonly (readonly [name: string, step: Action])[] = [
  ["a fork", startsChild],
  ["a vfork", { kind: "vfork", child: doing(executesChild) }],
  ["the program itself", executesChild],
  ["another thread", { kind: "thread", child: doing(executesChild) }],
  ["a fork of a fork", { kind: "fork", child: doingThenSleeping(startsChild) }],
  [
    "a fork that has looked elsewhere before",
    { kind: "fork", child: doing({ kind: "execute", path: "/bin/missing" }, executesChild) },
  ],
];

for (const [way, scene] of ways) {
  describe(`a program that is prepared ${way}`, () => {
    for (const [by, step] of starts) {
      for (const isQuick of [false, true]) {
        test(`and started by ${by}${isQuick ? ", at once" : ""}, has its values in the region`, () => {
          const prepare = (machine: TracedMachine) => {
            machine.isQuick = isQuick;
            scene.prepare?.(machine);
          };
          using life = play({ ...scene, prepare, steps: [step] });
          const beginning = beginningOf(life);
          expect(beginning.variables).toMatchObject(secrets);
          // The copies are wiped.
          expect(beginning.environ.replaceAll(/\0+/g, "\0")).toBe(namesOnly);
          expect(leadIntoRegion(processOf(life))).toBe(true);
          expect(beginning.argv).toEqual([CHILD]);
          expect(beginning.isTraced).toBe(scene.follow === "trace");
          expect([life.unprotected, life.lines]).toEqual([0, []]);
          expect(life.machine.openFiles.count).toBe(0);
        });
      }
    }

    test("goes on with text, registers and signals as execve has left them", () => {
      using life = play({ ...scene, steps: [startsChild] });
      const beginning = beginningOf(life);
      const { freshRegisters, layout } = processOf(life);
      expect(touchedBy(beginning).text).toBe(untouched(life, CHILD).text);
      expect(beginning.mask).toBe(0n);
      if (way.startsWith("by itself")) {
        // Every register but the two is zero, as the kernel leaves them in most programs.
        const kept = [layout.instructionPointer, layout.stackPointer];
        const expected = new Uint8Array(freshRegisters.length);
        for (const at of kept) expected.set(freshRegisters.subarray(at, at + 8), at);
        expect(beginning.registers.toHex()).toBe(expected.toHex());
      } else expect(touchedBy(beginning)).toEqual(untouched(life, CHILD));
    });

    test("has the region's descriptor only if it is traced for life", () => {
      using life = play({ ...scene, steps: [startsChild] });
      const descriptors = [...processOf(life).descriptors.values()];
      expect(descriptors).toEqual(scene.follow === "trace" ? ["region"] : []);
    });
  });
}

describe("a program that stays with plain values", () => {
  const consequence = "its values are readable in /proc/PID/environ";
  const rows: readonly (readonly [name: string, scene: Scene, reason: string])[] = [
    ["has 32 bits", { ...notify, child: { bits: 32 } }, "it is for another architecture"],
    ["has 32 bits and is traced for life", { ...trace, child: { bits: 32 } }, "32 bits"],
    [
      "has 32 bits, and values that can be replaced",
      { ...notify, ...slots, child: { bits: 32 } },
      "32 bits",
    ],
    ["may not be read", { ...notify, child: { mode: 0o111 } }, "may be executed and not read"],
    ["may not be read and is traced", { ...trace, child: { mode: 0o111 } }, "and not read"],
    [
      "may not be read, and has values that can be replaced",
      { ...notify, ...slots, child: { mode: 0o111 } },
      "and not read",
    ],
    [
      "raises privileges and would be traced for life",
      { ...trace, child: { mode: 0o4755, uid: 5 }, prepare: asUser },
      "its file raises privileges",
    ],
    [
      "has capabilities and would be traced for life",
      { ...trace, child: { hasCapabilities: true }, prepare: asUser },
      "its file raises privileges",
    ],
    [
      "may open no descriptor",
      { ...notify, prepare: (machine) => machine.refusals.set("open", 24) },
      "it may open no descriptor (RLIMIT_NOFILE)",
    ],
    [
      "may open no descriptor, and has values that can be replaced",
      { ...notify, ...slots, prepare: (machine) => machine.refusals.set("open", 24) },
      "RLIMIT_NOFILE",
    ],
    [
      "may lock no memory",
      { ...notify, region: plain, prepare: locksNothingButFirst },
      "it may not lock memory for them (RLIMIT_MEMLOCK)",
    ],
    [
      "may not be traced",
      { ...notify, prepare: (machine) => (machine.plan = refusesSeizing) },
      "the kernel does not allow to trace it",
    ],
  ];
  for (const [name, scene, reason] of rows) {
    test(`because it ${name} is counted, and the log says why`, () => {
      using life = play({ ...scene, steps: [startsChild] });
      const beginning = beginningOf(life);
      expect(beginning.variables).toMatchObject(secrets);
      expect(isPlain(beginning, secrets)).toBe(true);
      expect(beginning.isTraced).toBe(false);
      expect([life.unprotected, life.tracer.unprotected]).toEqual([1, 1]);
      expect(life.lines).toHaveLength(1);
      const [line] = life.lines;
      expect(line?.level).toBe("warn");
      expect(line?.message).toContain(reason);
      expect(line?.message).toContain(consequence);
    });
  }

  test("because its predecessor has closed the region is counted", () => {
    const closes = doing({ kind: "call", number: closeHere(), arguments: [7] }, executesChild);
    using life = play({ ...trace, steps: [{ kind: "fork", child: closes }] });
    expect(beginningOf(life).isTraced).toBe(false);
    expect(life.lines[0]?.message).toContain("has closed the descriptor");
  });

  test("raises its privileges, as it is executed once more without its tracer", () => {
    const child = { mode: 0o4755, uid: 5 };
    using life = play({ ...trace, child, prepare: asUser, steps: [startsChild] });
    expect(processOf(life).effective).toBe(5);
  });

  test("names the tracer that was there before", () => {
    const isTraced = doingThenSleeping({ kind: "fork", child: doing(executesChild) });
    using life = play({
      ...notify,
      prepare: (machine) => {
        machine.plan = ({ name, tid }) => {
          const thread = name === "ptrace SEIZE" ? machine.thread(tid ?? 0) : undefined;
          if (thread?.process.beginnings.length === 0 && thread.process.pid > 5_000_001) {
            thread.process.tracer = 5_000_001;
          }
        };
      },
      steps: [{ kind: "fork", child: isTraced }],
    });
    expect(life.lines[0]?.message).toContain("another process traces it");
    expect(life.lines[0]?.fields).toMatchObject({ tracer: "/bin/server" });
  });
});

test("a program with a copy of a value in another variable is counted, and has its values", () => {
  const environment = { URL: `https://u:${secrets.DB_PASSWORD}@db/` };
  for (const way of [notify, { ...notify, ...slots }, trace]) {
    const child = doing({ ...executesChild, environment });
    using life = play({ ...way, steps: [{ kind: "fork", child }] });
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(life.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining("another variable holds a copy of one, which svc did not make"),
    ]);
  }
});

describe("a program of the Go library", () => {
  const child = { contents: goProgram("svc.internal/secrets") };

  test("gets the descriptor, and no value in its environment", () => {
    using life = play({ ...notify, child, steps: [startsChild] });
    const beginning = beginningOf(life);
    const { DB_PASSWORD, API_KEY, ...others } = beginning.variables;
    expect([DB_PASSWORD, API_KEY]).toEqual([undefined, undefined]);
    expect(others).toEqual({ PATH: "/bin", SVC_SECRET_FD: "3", LAST: "1" });
    expect([...processOf(life).descriptors]).toEqual([[3, "region"]]);
    expect(touchedBy(beginning)).toEqual(untouched(life, CHILD));
    expect(processOf(life).memory.segments.some(({ isShared }) => isShared)).toBe(false);
    expect([beginning.isTraced, life.unprotected]).toEqual([false, 0]);
  });

  test("keeps the descriptor that it has if it is traced for life", () => {
    using life = play({ ...trace, child, steps: [startsChild] });
    const { DB_PASSWORD, API_KEY, ...others } = beginningOf(life).variables;
    expect([DB_PASSWORD, API_KEY]).toEqual([undefined, undefined]);
    expect(others).toEqual({ PATH: "/bin", LAST: "1" });
    expect([...processOf(life).descriptors]).toEqual([[7, "region"]]);
  });

  test("that has no variable of a value gets no descriptor", () => {
    const environment = { DB_PASSWORD: null, API_KEY: null };
    const step: Action = { kind: "fork", child: doing({ ...executesChild, environment }) };
    using life = play({ ...notify, child, steps: [step] });
    expect(beginningOf(life).variables).toEqual({ PATH: "/bin", LAST: "1" });
    expect([...processOf(life).descriptors]).toEqual([]);
  });

  test("that finds no memory for the variable is killed", () => {
    const prepare = (machine: TracedMachine) => {
      machine.plan = () => {
        const own = [...machine.processes.values()].find(({ file }) => file.path === CHILD);
        const isMapped = own?.memory.segments.some(({ isShared }) => isShared);
        if (isMapped === true) machine.refusals.set("mmap", 12);
      };
    };
    using life = play({ ...notify, ...slots, child, prepare, steps: [startsChild] });
    expect([...life.machine.processes.values()][1]?.end).toEqual({ signal: 9 });
    expect(life.lines).toEqual([
      {
        level: "error",
        message: "put the secrets into the program: mmap in the program: errno 12: killed it",
        fields: { pid: expect.any(Number) },
      },
    ]);
  });
});

/** The wrapper has no capability: its kernel withholds privileges from traced programs. */
function asUser(machine: TracedMachine): void {
  machine.ownStatus = "NoNewPrivs:\t0\nCapEff:\t0000000000000000\n";
}

function locksNothingButFirst(machine: TracedMachine): void {
  let programs = 0;
  machine.plan = ({ name }) => {
    if (name === "ptrace DETACH") programs += 1;
    if (programs === 1) machine.refusals.set("mlock", 12);
  };
}

const refusesSeizing: TracedMachine["plan"] = (call) => {
  if (call.index > 2) refusesAll("ptrace SEIZE", 1)(call);
};

function closeHere(): number {
  return process.arch === "arm64" ? 57 : 3;
}
