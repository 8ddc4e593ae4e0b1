import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { temporaryFolder, waitFor } from "@svc/testing";
import { type AgentStage, startAgentStage } from "../harness/agent/agent-stage.ts";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

// A wrapper that is stopped holds each execve of its program, and one that ends takes it with it.
const stage = setStage();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("a signal to a wrapper", () => {
  let kernel: AgentStage;
  beforeAll(() => {
    kernel = startAgentStage();
  });
  afterAll(() => kernel[Symbol.dispose]());

  for (const signal of ["STOP", "KILL", "SEGV", "USR1", "TSTP", "RTMIN"] as const) {
    test(`SIG${signal} of a process that did not start it is an attempt`, async () => {
      await using target = await startTarget();
      kernel.own(target.pid, 90n);
      const { pid } = Bun.spawnSync(["/bin/kill", `-${signal}`, String(target.pid)]);
      const told = kernel.violations().filter(({ actor }) => actor.pid === pid);
      expect(told.map(({ kind }) => kind)).toEqual(["core_signal"]);
    });
  }

  for (const signal of ["CONT", "URG", "WINCH", "0"] as const) {
    test(`${signal} neither ends nor stops it, and makes no event`, async () => {
      await using target = await startTarget();
      kernel.own(target.pid, 90n);
      const { pid } = Bun.spawnSync(["/bin/kill", `-${signal}`, String(target.pid)]);
      expect(kernel.violations().filter(({ actor }) => actor.pid === pid)).toEqual([]);
    });
  }

  test("that it handles makes no event: the wrapper ends in good order", async () => {
    await using target = await startTarget("trap 'exit 3' TERM; echo ready; read -r line");
    kernel.own(target.pid, 90n);
    const { pid } = Bun.spawnSync(["/bin/kill", "-TERM", String(target.pid)]);
    expect(kernel.violations().filter(({ actor }) => actor.pid === pid)).toEqual([]);
  });

  test("of its parent, or of an earlier ancestor, makes no event", async () => {
    const target = await startTarget();
    kernel.own(target.pid, 90n);
    process.kill(target.pid, "SIGSTOP");
    process.kill(target.pid, "SIGKILL");
    await target[Symbol.asyncDispose]();
    const grandchild = await startTarget("exec 3<&0; sh -c 'echo $$; read -r line' <&3 & wait");
    const pid = Number(grandchild.said);
    kernel.own(pid, 91n);
    process.kill(pid, "SIGKILL");
    await grandchild[Symbol.asyncDispose]();
    expect(kernel.violations().filter(({ actor }) => actor.pid === process.pid)).toEqual([]);
  });

  test("of its program makes no event: the program only ends itself", async () => {
    await using target = await startTarget();
    kernel.own(target.pid, 90n);
    const shell = Bun.spawn(["sh"], { stdio: ["pipe", "ignore", "ignore"] });
    kernel.protect(shell.pid, 90n);
    shell.stdin.write(`kill -STOP ${target.pid}\n`);
    shell.stdin.end();
    await shell.exited;
    expect(kernel.violations().filter(({ actor }) => actor.pid === shell.pid)).toEqual([]);
  });
});

test("a process that stops a wrapper is stopped itself, and the wrapper goes on", async () => {
  await using agent: RunningAgent = await startAgent(folder.path, { ENFORCE_MODE: "true" });
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "echo started; exec sleep 60"],
    environment: {
      ...stage.environment,
      SVC_LOG_FORMAT: "json",
      SVC_EBPF_AGENT_ADDR: `unix://${folder.path}/agent.sock`,
    },
  });
  await wrapper.prints("started");
  await logs(wrapper, "connected with the kernel agent", 1);
  const { pid } = Bun.spawnSync(["/bin/kill", "-STOP", String(wrapper.pid)]);
  const isOfSender = ({ kind, actor }: Readonly<Record<string, unknown>>): boolean =>
    kind === "core_signal" && (actor as { readonly pid?: number }).pid === pid;
  const limit = (what: string) => ({ deadlineMs: 20_000, what });
  const told = await waitFor(() => agent.records().find(isOfSender), limit("word of the stop"));
  expect(["killed", "blocked"]).toContain(String(told["decision"]));
  const stat = () => readFileSync(`/proc/${wrapper.pid}/stat`, "utf8").split(") ")[1]?.[0];
  await waitFor(() => stat() !== "T", limit("the wrapper to go on"));
  // The wrapper blocks and takes SIGTERM: it ends in good order.
  const { pid: killer, exitCode } = Bun.spawnSync(["/bin/kill", "-TERM", String(wrapper.pid)]);
  expect([exitCode, (await wrapper.ended).exitCode]).toEqual([0, 143]);
  const ofKiller = agent.records().filter(({ actor }) => Object(actor).pid === killer);
  expect(ofKiller).toEqual([]);
});

/** A process in a wrapper's place, which has said its first words: it executes nothing any more. */
async function startTarget(script = "echo ready; read -r line") {
  const child = Bun.spawn(["sh", "-c", script], { stdio: ["pipe", "pipe", "ignore"] });
  const { value } = await child.stdout.getReader().read();
  return {
    pid: child.pid,
    said: new TextDecoder().decode(value),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
