import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runAttack, temporaryFolder, waitFor } from "@svc/testing";
import {
  type PrintedRecord,
  type RunningAgent,
  startAgent,
} from "../harness/agent/running-agent.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { claimProgram } from "./claim-program.ts";

const stage = setStage();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const deadline = (what: string) => ({ deadlineMs: 10_000, what });
const settings = {
  ...stage.environment,
  SVC_LOG_FORMAT: "json",
  SVC_EBPF_AGENT_ADDR: `unix://${folder.path}/agent.sock`,
};
/** Attempts on programs; the others are of the agent itself. */
const attempts = (agent: RunningAgent): readonly PrintedRecord[] =>
  agent.records().filter(({ kind }) => !kind.startsWith("agent_"));
const programOf = (wrapper: RunningWrapper): number => childrenOf(wrapper.pid)[0] ?? 0;
/** Numbers of agents before are in the kernel still. */
const anyNumber = expect.stringMatching(/^[1-9]\d*$/);
const SIGSTOP = 19;
const SIGCONT = 18;
const waiting = ["/bin/sh", "-c", "echo started; exec sleep 60"];

for (const delivery of ["inject", "preload", "env"]) {
  test(`an attempt on a program is seen, with its registration; a delivery by ${delivery} is not reported`, async () => {
    await using agent = await startAgent(folder.path);
    await using wrapper = await startWrapper({
      program: waiting,
      environment: { ...settings, SVC_DELIVERY: delivery },
    });
    await wrapper.prints("started");
    const pid = programOf(wrapper);
    const facts = () => JSON.stringify(attempts(agent).at(-1) ?? {});
    await waitFor(async () => {
      // The agent knows the program's facts a moment after its start.
      await runAttack("process-vm-readv", { pid });
      return facts().includes(`"delivery":"${delivery}"`);
    }, deadline("the attempt, with the delivery"));
    expect(attempts(agent).map(({ kind }) => kind)).toEqual(
      attempts(agent).map(() => "process_vm_readv"),
    );
    expect(attempts(agent).at(-1)).toMatchObject({
      target: { pid, registration: { id: anyNumber, delivery, keyCount: 1 } },
    });
  });
}

test("an attempt on the wrapper, which could be made to do it, and on the agent is seen as well", async () => {
  await using agent = await startAgent(folder.path);
  await using wrapper = await startWrapper({ program: waiting, environment: settings });
  await wrapper.prints("started");
  await logs(wrapper, "connected with the kernel agent", 1);
  for (const { pid } of [wrapper, agent]) await runAttack("ptrace-attach", { pid });
  const seen = await waitFor(
    () => attempts(agent).length === 2 && attempts(agent),
    deadline("both attempts"),
  );
  expect(seen).toMatchObject([
    { kind: "ptrace", target: { pid: wrapper.pid, registration: { id: anyNumber } } },
    { kind: "ptrace", target: { pid: agent.pid } },
  ]);
});

test("an attempt before the program's first instruction is seen", async () => {
  await using agent = await startAgent(folder.path);
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "cat /proc/$$/environ > /dev/null; echo done"],
    // Otherwise a slow shell reads an environment that is known to hold no value by then.
    environment: { ...settings, SVC_DELIVERY: "env" },
  });
  await wrapper.ended;
  const seen = await waitFor(() => attempts(agent)[0], deadline("the attempt"));
  expect(seen).toMatchObject({
    target: { registration: { id: anyNumber } },
    actor: { name: "cat" },
  });
});

test("a program that runs is protected again, with its children, when the agent was killed", async () => {
  const first = await startAgent(folder.path);
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "sleep 60 & echo started; wait"],
    environment: settings,
  });
  await wrapper.prints("started");
  await first.kill("SIGKILL");
  await using second = await startAgent(folder.path);
  await logs(wrapper, "connected with the kernel agent", 2);
  const [child = 0] = childrenOf(programOf(wrapper));
  await waitFor(async () => {
    await runAttack("process-vm-readv", { pid: child });
    return attempts(second).length > 0;
  }, deadline("the attempt on the child"));
  expect(attempts(second)[0]).toMatchObject({
    target: { pid: child, registration: { id: anyNumber } },
  });
});

test("a new agent protects programs before their wrappers come back, and no ancestor owns them", async () => {
  const first = await startAgent(folder.path);
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "sleep 60 & echo started; wait"],
    environment: settings,
  });
  await wrapper.prints("started");
  const pid = programOf(wrapper);
  await waitFor(() => isNoted(pid), deadline("the note of its environment"));
  const [child = 0] = childrenOf(pid);
  wrapper.kill(SIGSTOP);
  await first.kill("SIGKILL");
  await using second = await startAgent(folder.path);
  // Monitoring reads the environment of every process, and it has no values.
  readFileSync(`/proc/${pid}/environ`);
  expect(await claimProgram(second.socketPath, pid)).toBe("REGISTRATION_TAKEN");
  for (const victim of [pid, child, wrapper.pid]) {
    await runAttack("process-vm-readv", { pid: victim });
  }
  const seen = await waitFor(
    () => attempts(second).length >= 3 && attempts(second),
    deadline("the attempts of the ancestor, which owns nothing"),
  );
  expect(seen).toMatchObject(
    [pid, child, wrapper.pid].map((victim) => ({
      kind: "process_vm_readv",
      target: { pid: victim, registration: { id: anyNumber } },
    })),
  );
  wrapper.kill(SIGCONT);
  await logs(wrapper, "connected with the kernel agent", 2);
});

/** Whether the agent has noted the address of a program's environment, which holds no value. */
function isNoted(pid: number): boolean {
  const registry = readFileSync(join(folder.path, "registry"), "utf8");
  return new RegExp(`^process \\d+ ${pid} \\d+ [1-9]`, "m").test(registry);
}
