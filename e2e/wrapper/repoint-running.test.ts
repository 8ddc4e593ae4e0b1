import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "@svc/kernel";
import { temporaryFolder, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, stateOf } from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { compiled } from "../harness/programs/preload-stage.ts";
import { type InjectedProgram, startInjected } from "./injected-program.ts";

const SIGKILL = 9;
const SIGCONT = 18;
const SIGSTOP = 19;
const LEAST_READS = 1_000_000;
const deadline = { deadlineMs: 10_000 };
const program = compiled("reads-generations", ["gcc", "-pthread"]);
const musl = compiled("reads-generations", ["musl-gcc", "-pthread", "-static"]);
const muslDynamic = compiled("reads-generations", ["musl-gcc", "-pthread"]);
const folder = temporaryFolder();
const launcher = join(folder.path, "tini");
copyFileSync(fixture("waits-then-becomes"), launcher);
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();

describe("a program whose variables are pointed at new values finds no torn and no late value", () => {
  const rows: readonly (readonly [name: string, words: readonly string[], generations: number])[] =
    [
      ["by one thread", [program, "1"], 30],
      ["by two threads of static musl", [musl, "2"], 30],
      ["by two threads and a signal handler", [program, "2", "handler"], 30],
      ["by twelve threads", [program, "12"], 5],
      ["while threads start and end", [program, "2", "storm"], 30],
      ["while threads wait in the kernel", [program, "1", "blocked"], 30],
      ["in an environment that setenv has moved", [program, "2", "moved"], 30],
      ["in one that setenv of static musl has moved", [musl, "2", "moved"], 30],
      ["in one that setenv of dynamic musl has moved", [muslDynamic, "2", "moved"], 30],
    ];
  for (const [name, words, generations] of rows) {
    test(name, async () => {
      await using run = await startInjected({ program: words });
      expect(await run.line()).toBe("A");
      const least = words.includes("handler") ? LEAST_READS : 1;
      for (let count = 0; count < generations || Number(await run.ask("count")) < least; count++) {
        expect(await run.replaced()).toMatchObject([repointed(run)]);
        expect(await run.ask("next")).toBe(run.letter());
      }
      expect(run.say("end\n")).toBeUndefined();
      expect(await run.line()).toMatch(/^torn 0 late 0 missing 0 reads/);
    });
  }
});

test("a program whose threads start others all the time is caught between them", async () => {
  await using run = await startInjected({ program: [program, "1", "spawns"] });
  expect(await run.line()).toBe("A");
  for (let count = 0; count < 20; count++) {
    const [main] = await run.replaced();
    expect(main).toMatchObject(repointed(run));
    expect(await run.ask("next")).toBe(run.letter());
  }
  run.say("end\n");
  expect(await run.line()).toMatch(/^torn 0 late 0 missing 0 reads/);
});

test("a program that job control has stopped stays stopped, and continues with the new value", async () => {
  await using run = await startInjected({ program: [program, "1"] });
  expect(await run.line()).toBe("A");
  sendSignal(run.pid, SIGSTOP);
  await waitFor(() => stateOf(run.pid) === "T", { ...deadline, what: "the program to stop" });
  expect(await run.replaced()).toMatchObject([repointed(run)]);
  await waitFor(() => stateOf(run.pid) === "T", { ...deadline, what: "the program to stand" });
  sendSignal(run.pid, SIGCONT);
  expect(await run.ask("next")).toBe("B");
});

test("a signal that comes while the program stands is delivered once it runs", async () => {
  await using run = await startInjected({ program: [fixture("reports-signals")] });
  await run.line();
  for (let count = 0; count < 20; count++) {
    sendSignal(run.pid, 1);
    run.replace();
    expect(await run.line()).toBe("01");
  }
});

test("memory that the kernel does not protect works, too, if there is no other", async () => {
  await using run = await startInjected({ program: [program, "1"], kind: "memfd" });
  expect(await run.line()).toBe("A");
  expect(await run.replaced()).toMatchObject([repointed(run)]);
  expect(await run.ask("next")).toBe("B");
});

test("a worker that the program has forked follows, too", async () => {
  await using run = await startInjected({ program: [program, "1", "worker"] });
  expect(await run.line()).toBe("A");
  const [worker = 0] = childrenOf(run.pid);
  for (let count = 0; count < 4; count++) {
    expect(await run.replaced()).toMatchObject([
      repointed(run),
      { ...repointed(run), pid: worker },
    ]);
    expect(await run.ask("worker")).toBe(run.letter());
    expect(await run.ask("next")).toBe(run.letter());
  }
});

describe("a program behind a launcher follows", () => {
  test("if the launcher stays", async () => {
    const words = ["/bin/sh", "-c", `${program} 1; exit $?`];
    await using run = await startInjected({ program: words, follow: true });
    expect(await run.line()).toBe("A");
    const [behind = 0] = childrenOf(run.pid);
    for (let count = 0; count < 4; count++) {
      expect(await run.replaced()).toMatchObject([
        repointed(run),
        { ...repointed(run), pid: behind },
      ]);
      expect(await run.ask("next")).toBe(run.letter());
    }
  });

  test("if the launcher becomes it after the values were replaced", async () => {
    const words = [launcher, "0", "1", program, "1"];
    await using run = await startInjected({ program: words, follow: true });
    const before = run.tracer.placement;
    expect(await run.replaced()).toMatchObject([repointed(run)]);
    run.say("!");
    expect(await run.line()).toBe("A");
    expect(run.tracer.placement?.regionAddress).not.toBe(before?.regionAddress);
    expect(await run.ask("count")).not.toBe("");
    expect(await run.replaced()).toMatchObject([repointed(run)]);
    expect(await run.ask("child")).toBe("C");
  });
});

test("pointers from a program's start lead to the values of that time, for ever", async () => {
  // Its variables are the strings of its environment.
  const script = `echo ready; while read line; do echo "$LETTERS"; done`;
  await using run = await startInjected({ program: ["/bin/dash", "-c", script] });
  expect(await run.line()).toBe("ready");
  const before = await run.ask("");
  expect(before).toMatch(/^A{4000}$/);
  for (let count = 0; count < 4; count++) {
    expect(await run.replaced()).toMatchObject([repointed(run)]);
    expect(await run.ask("")).toBe(before);
  }
});

test("a shell's later children have the current values, and no copy", async () => {
  const value = "perl -e 'print substr($ENV{LETTERS}, 0, 1), \"\\n\"'";
  const block = "cat /proc/self/environ | tr '\\0' '\\n' | grep ^LETTERS";
  const loop = `while read line; do ${value}; ${block}; done`;
  await using run = await startInjected({ program: ["/bin/sh", "-c", loop], follow: true });
  for (let count = 0; count < 4; count++) {
    run.say("x\n");
    expect(await run.line()).toBe(run.letter());
    expect(await run.line()).toBe("LETTERS=");
    run.replace();
  }
});

describe("nothing is pointed elsewhere", () => {
  test("if the program is gone", async () => {
    await using run = await startInjected({ program: [program, "1"] });
    expect(await run.line()).toBe("A");
    sendSignal(run.pid, SIGKILL);
    // The supervisor has not waited for it yet: that takes a turn of the event loop.
    for (const end = Date.now() + deadline.deadlineMs; stateOf(run.pid) !== "Z"; ) {
      expect(Date.now()).toBeLessThan(end);
    }
    expect(run.replace()).toMatchObject([{ pid: run.pid, outcome: { kind: "gone" } }]);
    expect(run.tracer.placement).toBeUndefined();
  });

  test("if another process traces the program", async () => {
    await using run = await startInjected({ program: [program, "1", "traced"] });
    expect(await run.line()).toBe("A");
    const [other] = childrenOf(run.pid);
    const [main] = run.replace();
    expect(main?.outcome).toEqual({
      kind: "not permitted",
      reason: `ptrace: EPERM: process ${other} traces it`,
    });
    // It goes on reading, once a busy machine lets its thread.
    await waitFor(async () => Number(await run.ask("count")) > 0, { ...deadline, what: "reads" });
  });

  test("while a vfork lasts, and it is afterwards", async () => {
    await using run = await startInjected({ program: [program, "1"] });
    expect(await run.line()).toBe("A");
    expect(await run.replaced()).toMatchObject([repointed(run)]);
    expect(await run.ask("next")).toBe("B");
    expect(await run.ask("vfork")).toBe("-");
    await waitFor(() => stateOf(run.pid) === "D", { ...deadline, what: "vfork" });
    expect(run.replace()).toMatchObject([{ pid: run.pid, outcome: { kind: "busy" } }]);
    // Else the next generation but one would overwrite values that it still points at.
    expect(run.replace).toThrow(expect.objectContaining({ code: "BEHIND" }));
    await waitFor(() => stateOf(run.pid) !== "D", { ...deadline, what: "the end of vfork" });
    expect(await run.ask("skip")).toBe("-");
    expect(await run.replaced()).toMatchObject([repointed(run)]);
    expect(await run.ask("next")).toBe("D");
  });

  test("of a variable that the program has removed", async () => {
    await using run = await startInjected({ program: [program, "1"] });
    expect(await run.line()).toBe("A");
    expect(await run.ask("unset")).toBe("-");
    const outcome = { kind: "repointed", count: 1, of: 2 };
    expect(run.replace()).toMatchObject([{ pid: run.pid, outcome }]);
    expect(await run.ask("next")).toBe("B");
  });
});

function repointed({ pid }: InjectedProgram) {
  return { pid, outcome: { kind: "repointed", count: 2, of: 2 } };
}
