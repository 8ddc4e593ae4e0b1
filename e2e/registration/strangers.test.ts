import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ledger, openLedger } from "@svc/agent";
import {
  type AgentClient,
  openStream,
  type RecordingMarks,
  recordingMarks,
} from "@svc/agent/testdata";
import { needsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { placedCgroup, podCgroup } from "../harness/agent/pod-cgroup.ts";
import {
  agentPlace,
  type RecordingOptions,
  startRecordingAgent,
} from "../harness/agent/registration-stage.ts";
import { lineReader } from "../harness/processes/line-reader.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { deadline } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
afterAll(place.remove);
const environment = { ...stage.environment, ...place.environment };
const program = ["/bin/sh", "-c", "echo started; exec sleep 60"];
const withChild = ["/bin/sh", "-c", "sleep 60 & echo started; wait"];
const asker = join(import.meta.dirname, "testdata/asks-agent.ts");
// Only root becomes another user, or makes a PID namespace.
const NOBODY = 65534;
const fakePod = `pod${crypto.randomUUID()}`;
const notAllowed = "REGISTRATION_NOT_ALLOWED";
const nobody = ["setpriv", `--reuid=${NOBODY}`, "--regid=65534", "--clear-groups"];
const elsewhere = ["unshare", "--pid", "--fork", "--kill-child"];

function startAsker(whom: string, through: readonly string[] = []) {
  return Bun.spawn([...through, process.execPath, asker, place.path, whom], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function ask(whom: string, through: readonly string[] = []): Promise<string> {
  const child = startAsker(whom, through);
  const answer = await child.stdout.text();
  await child.exited;
  return answer.trim();
}

describe("whoever connects", () => {
  const refused: readonly (readonly [
    name: string,
    whom: (program: number) => number,
    through?: readonly string[],
  ])[] = [
    ["the program of a wrapper beside it", (pid) => pid],
    ["process 1", () => 1],
    ["its parent", () => process.pid],
    ["a number of the node's, from a new pid namespace", (pid) => pid, elsewhere],
    ["process 1 of its pid namespace, which it is", () => 1, elsewhere],
  ];
  for (const [name, whom, through] of refused) {
    const declare = through === undefined ? test : needsRoot(test);
    declare(`is refused ${name}`, async () => {
      await using agent = await startRecordingAgent(place);
      await using wrapper = await startWrapper({ program, environment });
      await wrapper.prints("started");
      const pid = childrenOf(wrapper.pid)[0] ?? 0;
      const before = [...agent.marks.protections];
      expect(await ask(String(whom(pid)), through)).toBe("REGISTRATION_NOT_DESCENDANT");
      expect([...agent.marks.protections]).toEqual(before);
      expect(before).toEqual([[pid, 1n]]);
    });
  }

  needsRoot(test)("is refused everything if it may not register", async () => {
    await using agent = await startRecordingAgent(place);
    for (const whom of ["child", "1"]) expect(await ask(whom, nobody)).toBe(notAllowed);
    expect([agent.marks.protections.size, agent.marks.owners.size]).toEqual([0, 0]);
    expect(agent.registry.counts()).toMatchObject({ registrations: 0 });
  });

  needsRoot(test)("may register in a pod, as every user", async () => {
    await using pod = podCgroup(crypto.randomUUID());
    await using agent = await startRecordingAgent(place);
    expect(await ask("child", pod.command(...nobody))).toBe("registered");
    expect(agent.marks.protections.size).toBe(1);
  });

  const services: readonly (readonly [place: readonly string[], answer: string])[] = [
    [["system.slice", "svc-e2e@one.service"], "registered"],
    [["system.slice", "svc-e2e-other.service"], notAllowed],
    [["user.slice", "user-65534.slice", "user@65534.service", "svc-e2e@one.service"], notAllowed],
    [["user.slice", "user-65534.slice", "user@65534.service", "kubepods", fakePod], notAllowed],
  ];
  for (const [folders, answer] of services) {
    needsRoot(test)(`hears "${answer}" in ${folders.join("/")}`, async () => {
      await using cgroup = placedCgroup(folders);
      await using _agent = await startRecordingAgent(place, { units: ["svc-e2e@*.service"] });
      expect(await ask("child", cgroup.command(...nobody))).toBe(answer);
    });
  }

  const granted: readonly (readonly [name: string, through?: readonly string[]])[] = [
    ["whoever asks"],
    ["a user with the administrator's permission", nobody],
    ["a process in a pid namespace", elsewhere],
  ];
  for (const [name, through] of granted) {
    const declare = through === undefined ? test : needsRoot(test);
    declare(`may have its own child protected: ${name}`, async () => {
      await using agent = await startRecordingAgent(place, { others: [NOBODY] });
      expect(await ask("child", through)).toBe("registered");
      expect([...agent.marks.protections.values()]).toEqual([1n]);
    });
  }

  // It chooses the number of the next process.
  needsRoot(test)(
    "is refused a child that has ended, when another process has its number",
    async () => {
      await using agent = await startRecordingAgent(place);
      const child = startAsker("dead");
      const next = lineReader(child.stdout);
      const pid = Number(await next());
      const stranger = await processOfNumber(pid);
      child.stdin.write("\n");
      child.stdin.flush();
      expect(await next()).toBe("REGISTRATION_NOT_DESCENDANT");
      expect(agent.marks.protections.size).toBe(0);
      stranger.kill();
      await Promise.all([stranger.exited, child.exited]);
    },
  );

  // It takes a second user.
  needsRoot(test)("a flood of one user takes no other user's place", async () => {
    await using agent = await startRecordingAgent(place, { others: [NOBODY] });
    const flood: AgentClient[] = [];
    let welcomed = 0;
    // More at a time than the kernel lets wait would not get as far as the agent.
    for (let round = 0; round < 11; round += 1) {
      const part = Array.from({ length: 100 }, () => openStream(place.path));
      flood.push(...part);
      const answers = await Promise.all(part.map((stream) => isWelcome(stream)));
      welcomed += answers.filter(Boolean).length;
    }
    expect(welcomed).toBe(1024);
    expect(await ask("child", nobody)).toBe("registered");
    await Promise.all(flood.map((stream) => stream.end()));
    await waitFor(() => agent.registry.counts().connected === 0, deadline("the flood to be over"));
    await waitFor(
      async () => (await ask("child")) === "registered",
      deadline("a place to be free"),
    );
  });
});

async function isWelcome(stream: AgentClient): Promise<boolean> {
  stream.send({ case: "hello", value: {} });
  return (await stream.next().catch(() => undefined))?.case === "welcome";
}

describe("an ancestor of a wrapper", () => {
  async function claim(pid: number): Promise<string | undefined> {
    await using stream = openStream(place.path);
    stream.send({ case: "hello", value: {} });
    await stream.next();
    stream.send({ case: "register", value: { pid, request: 1n } });
    const answer = await stream.next();
    return answer?.case === "refused" ? answer.value.code : answer?.case;
  }

  test("cannot take its program over, and own it", async () => {
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({ program, environment });
    await wrapper.prints("started");
    const pid = childrenOf(wrapper.pid)[0] ?? 0;
    await waitFor(() => agent.marks.protections.get(pid) === 1n, deadline("its mark"));
    expect(await claim(pid)).toBe("REGISTRATION_TAKEN");
    expect(agent.marks.protections.get(pid)).toBe(1n);
  });

  test("that was quicker after an agent's start loses it to the wrapper", async () => {
    const first = await startRecordingAgent(place);
    await using wrapper = await startWrapper({ program, environment });
    await wrapper.prints("started");
    const pid = childrenOf(wrapper.pid)[0] ?? 0;
    wrapper.kill(19);
    await first.stop();
    await using second = await startRecordingAgent(place);
    expect(await claim(pid)).toBe("registered");
    const taken = second.marks.protections.get(pid);
    wrapper.kill(18);
    await waitFor(() => second.marks.protections.get(pid) !== taken, deadline("the wrapper"));
    expect(second.registry.registrationOf(second.marks.protections.get(pid) ?? 0n)?.pids).toEqual([
      pid,
    ]);
    expect(await claim(pid)).toBe("REGISTRATION_TAKEN");
  });

  // An agent that ends leaves its marks in the kernel, if they are pinned, and a ledger on the
  // disk.
  const memories: readonly (readonly [name: string, options: () => Memory])[] = [
    ["the kernel has the marks of the agent before", () => ({ marks: recordingMarks() })],
    ["the agent before has noted it", () => ({})],
  ];
  for (const [name, memoryOf] of memories) {
    test(`cannot take its program over after an agent's restart, if ${name}`, async () => {
      using folder = temporaryFolder();
      const { marks } = memoryOf();
      const options = (): RecordingOptions =>
        marks === undefined ? { ledger: ledgerIn(folder.path) } : { marks };
      const first = await startRecordingAgent(place, options());
      await using wrapper = await startWrapper({ program: withChild, environment });
      await wrapper.prints("started");
      const pid = childrenOf(wrapper.pid)[0] ?? 0;
      const [child = 0] = childrenOf(pid);
      wrapper.kill(19);
      await first.stop();
      await using second = await startRecordingAgent(place, { ...options(), first: 100n });
      const before = new Map(second.marks.protections);
      for (const victim of [pid, child]) expect(await claim(victim)).toBe("REGISTRATION_TAKEN");
      // It may name the wrapper itself, and has nothing of that.
      expect(await claim(wrapper.pid)).toBe("registered");
      expect(second.marks.protections).toEqual(before);
      wrapper.kill(18);
      await waitFor(() => second.registry.counts().connected === 1, deadline("the wrapper"));
      await waitFor(() => second.marks.protections.get(pid) === 1n, deadline("its number"));
      expect(second.marks.owners.get(wrapper.pid)).toBe(1n);
    });
  }
});

interface Memory {
  readonly marks?: RecordingMarks;
}

function ledgerIn(folder: string): Ledger {
  return openLedger({ path: join(folder, "registry"), bootId: "b", onFault: () => undefined });
}

/** The kernel gives the next number after the given one; another process may be quicker. */
async function processOfNumber(pid: number): Promise<Bun.Subprocess> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const child = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
    if (child.pid === pid) return child;
    child.kill();
    await child.exited;
  }
  throw new TypeError(`start a process of number ${pid}: others were quicker`);
}
