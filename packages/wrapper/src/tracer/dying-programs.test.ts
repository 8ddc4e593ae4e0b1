import { describe, expect, test } from "bun:test";
import { brokenPromises } from "../../testdata/traced-machine/broken-promises.ts";
import { goProgram } from "../../testdata/traced-machine/elf-files.ts";
import { type Plan, refuses } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing } from "../../testdata/traced-machine/program.ts";
import { play, type Scene, secrets, startsChild } from "../../testdata/traced-machine/scene.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import type { TracedLife } from "../../testdata/traced-machine/traced-life.ts";

/** For hundreds of lives on a busy machine. */
const DEADLINE_MS = 120_000;
const executesChild: Action = { kind: "execute", path: "/bin/child" };
const steps: readonly Action[] = [
  startsChild,
  { kind: "vfork", child: doing(executesChild) },
  { kind: "thread", child: doing({ kind: "sleep" }) },
  { kind: "fork", child: doing({ kind: "execute", path: "/bin/missing" }, executesChild) },
];
const slots = { region: { slotBytes: 4096 } };
const library = { child: { contents: goProgram("svc.internal/secrets") } };

const raising: Scene = {
  steps: [startsChild, { kind: "vfork", child: doing(executesChild) }, executesChild],
  child: { mode: 0o4755, uid: 12 },
  prepare: (machine) => {
    machine.ownStatus = "NoNewPrivs:\t0\nCapEff:\t0000000000000000\n";
  },
};
const changing: Scene = {
  steps: [{ kind: "fork", child: doing({ kind: "change user", user: 1000 }, executesChild) }],
  prepare: (machine) => {
    machine.tracesAllUsers = false;
    machine.announcesUsers = true;
  },
};

const scenes: readonly (readonly [name: string, scene: Scene])[] = [
  ["announced", { steps, follow: "notify" }],
  ["announced, with values that can be replaced", { steps, follow: "notify", ...slots }],
  ["traced for life", { steps, follow: "trace" }],
  ["of the Go library", { steps: [startsChild], follow: "notify", ...library }],
  ["traced for life, and raise privileges", { ...raising, follow: "trace" }],
  ["announced, and change their user", { ...changing, follow: "notify" }],
  ["in plain memory", { follow: "off", region: { kind: "memfd", mustLock: true } }],
];

/** The refusals of a call that a kernel may give, by the call's name. */
function refusalsOf(name: string): readonly number[] {
  const [EPERM, ENOENT, EIO, ENOMEM, EACCES, EFAULT, EINVAL, EMFILE] = [
    1, 2, 5, 12, 13, 14, 22, 24,
  ];
  if (name === "ptrace SEIZE") return [EPERM];
  if (name.startsWith("ptrace")) return [EPERM, EIO, EFAULT];
  if (name.startsWith("open")) return [EACCES, EMFILE];
  if (name === "pread" || name === "pwrite") return [EIO, ENOMEM];
  if (name === "ioctl ADDFD") return [EMFILE, EINVAL];
  if (["statx", "readlink", "getxattr", "statvfs"].includes(name)) return [ENOENT, EACCES];
  return name.startsWith("syscall") ? [ENOMEM] : [];
}

/** The life of a scene whose calls meet a plan. */
function liveWith(scene: Scene, plan: (machine: TracedMachine) => Plan): TracedLife & Disposable {
  const prepare = (machine: TracedMachine) => {
    scene.prepare?.(machine);
    machine.plan = plan(machine);
  };
  return play({ ...scene, prepare });
}

function brokenBy(life: TracedLife, scene: Scene): readonly string[] {
  const readers = scene.child?.contents === undefined ? [] : ["/bin/child"];
  return brokenPromises(life, secrets, readers);
}

/** The promises that are broken if one call is refused. */
function brokenWith(scene: Scene, plan: (machine: TracedMachine) => Plan): readonly string[] {
  using life = liveWith(scene, plan);
  return brokenBy(life, scene);
}

/** The same for a death, which is nothing to report. */
function brokenByDeath(scene: Scene, plan: (machine: TracedMachine) => Plan): readonly string[] {
  using life = liveWith(scene, plan);
  const said = life.lines.filter(({ level }) => level === "error").map(({ message }) => message);
  const failed = life.tracer.failure === undefined ? [] : ["a failure"];
  return [...brokenBy(life, scene), ...said, ...failed];
}

/** The calls of the tracer if nothing happens, and how many processes live then. */
function callsOf(scene: Scene) {
  const calls: { readonly name: string; readonly living: number }[] = [];
  const broken = brokenWith(scene, (machine) => ({ name }) => {
    calls.push({ name, living: machine.living.length });
  });
  expect(broken).toEqual([]);
  return calls;
}

for (const [name, scene] of scenes) {
  describe(`programs that are ${name}`, () => {
    test(
      "keep every promise if one of them is killed before any call of the tracer",
      () => {
        const calls = callsOf(scene);
        expect(calls.length).toBeGreaterThan(50);
        for (const [index, { living }] of calls.entries()) {
          for (let victim = 0; victim < living; victim += 1) {
            const plan = (machine: TracedMachine) => (call: { readonly index: number }) => {
              const process = [...machine.processes.values()][victim];
              if (call.index === index && process) endProcess(machine, process, { signal: 9 });
            };
            expect([index, victim, brokenByDeath(scene, plan)]).toEqual([index, victim, []]);
          }
        }
      },
      DEADLINE_MS,
    );

    test(
      "keep every promise if the kernel refuses any one call",
      () => {
        for (const [index, { name }] of callsOf(scene).entries()) {
          for (const errno of refusalsOf(name)) {
            const broken = brokenWith(scene, () => refuses(index, errno));
            expect([index, name, errno, broken]).toEqual([index, name, errno, []]);
          }
        }
      },
      DEADLINE_MS,
    );
  });
}
