import { describe, expect, test } from "bun:test";
import { definesEnviron, goProgram } from "../../testdata/traced-machine/elf-files.ts";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  leadIntoRegion,
  namesOnly,
  play,
  processOf,
  type Scene,
  secrets,
} from "../../testdata/traced-machine/scene.ts";

const USER = 1000;
const executesChild: Action = { kind: "execute", path: "/bin/child" };

/** A supervisor that is root without CAP_SYS_PTRACE, and may change its user. */
function withoutPtrace(machine: TracedMachine): void {
  machine.tracesAllUsers = false;
  machine.announcesUsers = true;
}

const notify: Scene = { follow: "notify", prepare: withoutPtrace };
const becomes = (...steps: readonly Action[]): Action => ({
  kind: "fork",
  child: doing({ kind: "change user", user: USER }, ...steps),
});

describe("a program that has changed its user", () => {
  const scenes: readonly (readonly [name: string, scene: Scene])[] = [
    ["by itself", notify],
    ["on the page that it begins in", { ...notify, region: { slotBytes: 4096 } }],
  ];
  for (const [name, scene] of scenes) {
    test(`is prepared ${name}`, () => {
      using life = play({ ...scene, steps: [becomes(executesChild)] });
      const beginning = beginningOf(life);
      expect(beginning.variables).toMatchObject(secrets);
      expect(beginning.environ.replaceAll(/\0+/g, "\0")).toBe(namesOnly);
      expect(leadIntoRegion(processOf(life))).toBe(true);
      expect(beginning.isTraced).toBe(false);
      expect([processOf(life).real, life.lines]).toEqual([USER, []]);
    });

    test(`starts others, which are prepared ${name}, as their user for one call`, () => {
      const next: Action = { kind: "execute", path: "/bin/next" };
      const prepare = (machine: TracedMachine) => {
        withoutPtrace(machine);
        machine.addFile("/bin/next");
      };
      const child = { behavior: doing({ kind: "fork", child: doing(next) }) };
      using life = play({ ...scene, prepare, child, steps: [becomes(executesChild)] });
      expect(leadIntoRegion(processOf(life, "/bin/next"))).toBe(true);
      expect(beginningOf(life, "/bin/next").isTraced).toBe(false);
      expect([life.machine.actingUser, life.lines]).toEqual([0, []]);
    });
  }

  test("is counted if the supervisor may not take its user", () => {
    const prepare = (machine: TracedMachine) => {
      withoutPtrace(machine);
      machine.addFile("/bin/next");
      machine.plan = refusesAll("syscall setresuid", 1);
    };
    const next: Action = { kind: "execute", path: "/bin/next" };
    const child = { behavior: doing({ kind: "fork", child: doing(next) }) };
    using life = play({ ...notify, prepare, child, steps: [becomes(executesChild)] });
    expect(life.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining("the kernel does not allow to trace it"),
    ]);
  });

  test("is counted if its three users differ", () => {
    const prepare = (machine: TracedMachine) => {
      withoutPtrace(machine);
      machine.addFile("/bin/next");
      machine.plan = () => {
        for (const process of machine.living) if (process.real === USER) process.saved = 0;
      };
    };
    const next: Action = { kind: "execute", path: "/bin/next" };
    const child = { behavior: doing({ kind: "fork", child: doing(next) }) };
    using life = play({ ...notify, prepare, child, steps: [becomes(executesChild)] });
    expect(life.unprotected).toBe(1);
    expect(life.machine.calls).not.toContain("syscall setresuid");
  });

  test("that executes a program of the Go library is known by the path of its stack", () => {
    const child = { contents: goProgram("svc.internal/secrets") };
    using life = play({ ...notify, child, steps: [becomes(executesChild)] });
    expect(beginningOf(life).variables).toMatchObject({ SVC_SECRET_FD: "3" });
  });

  test("that executes a program without AT_EXECFN is prepared as any other", () => {
    const child = { hasPath: false, contents: definesEnviron(0, true) };
    using life = play({ ...notify, child, steps: [becomes(executesChild)] });
    expect(leadIntoRegion(processOf(life))).toBe(true);
  });

  for (const [name, child] of [
    ["of 32 bits", { bits: 32 }],
    ["that may not be read", { mode: 0o111 }],
  ] as const) {
    test(`that executes a file ${name} is counted`, () => {
      using life = play({ ...notify, child, steps: [becomes(executesChild)] });
      expect(beginningOf(life).variables).toMatchObject(secrets);
      expect([life.unprotected, beginningOf(life).isTraced]).toEqual([1, false]);
    });
  }

  test("and whose execve fails stays traced until one succeeds", () => {
    const missing: Action = { kind: "execute", path: "/bin/missing" };
    using life = play({ ...notify, steps: [becomes(missing, executesChild)] });
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(beginningOf(life).isTraced).toBe(false);
  });
});
