import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { needsRoot, waitFor } from "@svc/testing";
import { agentPlace, startRecordingAgent } from "../harness/agent/registration-stage.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import {
  changingStore,
  deadline,
  healthAddress,
  linesOf,
  logs,
  recorder,
} from "../harness/wrapper/lifecycle-stage.ts";
import { measuredScore } from "../harness/wrapper/protection-points.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
afterAll(place.remove);
const environment = { ...stage.environment, ...place.environment };
const required = { ...environment, SVC_REQUIRE_AGENT: "true" };
/** Says its pid, and has two children. */
const program = ["/bin/sh", "-c", "sleep 60 & echo $$; sleep 60"];
// The agent sees the program of a process that is not dumpable, as root does.
const rootTest = needsRoot(test);
/** For a test that waits for the wrapper's patience with an agent to end. */
const PATIENT_MS = 30_000;
const isThere = (what: string) => deadline(what);

async function pidOf(wrapper: { readonly stdout: () => Buffer }): Promise<number> {
  const text = await waitFor(
    () => /^(\d+)\n/.exec(wrapper.stdout().toString())?.[1],
    deadline("the program's pid"),
  );
  return Number(text);
}

describe("a program whose wrapper knows an agent", () => {
  for (const delivery of ["library", "inject", "preload", "env"]) {
    rootTest(`is registered before its first instruction, by ${delivery}`, async () => {
      await using agent = await startRecordingAgent(place);
      await using wrapper = await startWrapper({
        program,
        environment: { ...environment, SVC_DELIVERY: delivery === "library" ? "auto" : delivery },
      });
      const pid = await pidOf(wrapper);
      expect(agent.marks.protections.get(pid)).toBe(1n);
      expect(agent.ranAtMark.get(pid)).toBe(wrapperPath);
      expect(agent.marks.owners.get(wrapper.pid)).toBe(1n);
      await waitFor(
        () => agent.registry.registrationOf(1n)?.keyCount === 1,
        isThere("the number of keys"),
      );
      // ps then reads no secret of the program.
      expect(agent.marks.bare.has(pid)).toBe(delivery !== "env");
    });
  }

  const waits = "echo $$; sleep 60; :";
  const perl = ["perl", "-e", `exec "sh", "-c", '${waits}'`];
  const successors: readonly (readonly [string, readonly string[], string, boolean])[] = [
    ["a shell executes", ["sh", "-c", `exec sh -c '${waits}'`], "notify", true],
    ["another program executes", perl, "notify", true],
    ["another program executes with plain values", perl, "off", false],
  ];
  for (const [name, words, follow, isBare] of successors) {
    rootTest(
      `is followed by: ${name}: ps ${isBare ? "may" : "may not"} open its environment`,
      async () => {
        await using agent = await startRecordingAgent(place);
        await using wrapper = await startWrapper({
          program: words,
          environment: { ...environment, SVC_FOLLOW: follow },
        });
        const pid = await pidOf(wrapper);
        await waitFor(
          () => agent.registry.registrationOf(1n)?.keyCount === 1,
          isThere("the number of keys"),
        );
        const environ = readFileSync(`/proc/${pid}/environ`, "latin1");
        expect(environ.includes(stage.password)).toBe(!isBare);
        await waitFor(() => agent.marks.bare.has(pid) === isBare, isThere("the mark of ps"));
      },
    );
  }

  rootTest("is registered when the wrapper is the first process of a pid namespace", async () => {
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({ program, environment, firstProcess: true });
    await pidOf(wrapper);
    const [pid = 0] = childrenOf(wrapper.pid);
    await waitFor(() => agent.marks.protections.get(pid) === 1n, isThere("its mark"));
  });

  rootTest(
    "is registered again with its children when the agent comes back, under the new agent's number",
    async () => {
      const first = await startRecordingAgent(place);
      await using wrapper = await startWrapper({ program, environment });
      const pid = await pidOf(wrapper);
      await waitFor(() => childrenOf(pid).length === 2, isThere("its children"));
      await first.stop();
      await logs(wrapper, "the kernel agent is lost");
      await using second = await startRecordingAgent(place);
      await waitFor(() => second.marks.protections.size === 3, isThere("three marks"));
      const expected = [pid, ...childrenOf(pid)].sort();
      expect([...second.marks.protections.keys()].sort()).toEqual(expected);
      expect(second.ranAtMark.get(pid)).not.toBe(wrapperPath);
    },
  );

  rootTest("is replaced by one that is registered as well, under the same number", async () => {
    await using store = changingStore();
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({
      program: [recorder],
      environment: { ...store.environment, ...place.environment },
    });
    await waitFor(() => linesOf(wrapper).length > 0, isThere("the first value"));
    const before = new Set(agent.marks.protections.keys());
    await store.change();
    await waitFor(() => linesOf(wrapper).length > 1, isThere("the second value"));
    const news = [...agent.marks.protections].filter(([pid]) => !before.has(pid));
    expect(news.map(([, registration]) => registration)).toEqual([1n]);
    expect(news.map(([pid]) => agent.ranAtMark.get(pid))).toEqual([wrapperPath]);
  });

  test("is in the metrics, with a tier that changes", async () => {
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({ program, environment });
    const address = await healthAddress(wrapper);
    const metrics = async () => (await fetch(`${address}/metrics`)).text();
    // The log says at which address it listens before the agent has answered.
    const isConnected = async () => (await metrics()).includes("svc_wrapper_agent_connected 1\n");
    await waitFor(isConnected, isThere("the agent in the metrics"));
    expect(await metrics()).toContain('svc_wrapper_agent_tier_info{tier="tracing"} 1\n');
    agent.announce("detect");
    await logs(wrapper, "another tier");
    expect(await metrics()).toContain('svc_wrapper_agent_tier_info{tier="detect"} 1\n');
    await agent.stop();
    await logs(wrapper, "the kernel agent is lost");
    expect(await metrics()).toContain("svc_wrapper_agent_connected 0\n");
    const { degraded } = await measuredScore(wrapper);
    expect(degraded).toContain("agent");
  });
});

describe("without an agent", () => {
  test("a program starts with one warning, and is registered when the agent comes", async () => {
    await using wrapper = await startWrapper({ program, environment });
    const pid = await pidOf(wrapper);
    await logs(wrapper, "the kernel agent is not there");
    await using agent = await startRecordingAgent(place);
    await waitFor(() => agent.marks.protections.has(pid), isThere("its mark"));
    const warnings = wrapper.stderr().split("the kernel agent is not there").length - 1;
    expect(warnings).toBe(1);
  });

  test("that is required nothing is started, and the wrapper ends with 125", async () => {
    const proof = await runToProof({
      environment: { ...required, SVC_START_DEADLINE: "300ms" },
    });
    expect(proof).toMatchObject({ ran: false, exitCode: 125, errorCodes: ["AGENT_REQUIRED"] });
    expect(proof.message).toContain("register the program with the kernel agent");
  });

  rootTest("that is required, the program waits for it", async () => {
    await using wrapper = await startWrapper({ program, environment: required });
    await logs(wrapper, "the kernel agent is not there");
    expect(wrapper.stdout().length).toBe(0);
    await using agent = await startRecordingAgent(place);
    const pid = await pidOf(wrapper);
    expect(agent.ranAtMark.get(pid)).toBe(wrapperPath);
  });

  test("that is required, the wrapper ends by SIGTERM while it waits", async () => {
    await using wrapper = await startWrapper({ program, environment: required });
    await logs(wrapper, "the kernel agent is not there");
    wrapper.kill(15);
    expect((await wrapper.ended).exitCode).toBe(143);
  });
});

describe("an agent that does not answer", () => {
  async function silent(answer?: Uint8Array) {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.resume();
      if (answer !== undefined) socket.end(answer);
    });
    await new Promise<void>((resolve) => server.listen(place.path, resolve));
    return {
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
  }

  test("keeps the program waiting for two seconds, and the log says so", async () => {
    await using _ = await silent();
    const { ran, durationMs, exitCode, stderr } = await runToProof({ environment });
    expect({ ran, exitCode }).toEqual({ ran: true, exitCode: 0 });
    expect(durationMs).toBeGreaterThan(2000);
    expect(durationMs).toBeLessThan(60_000);
    expect(stderr).toContain("the program starts before the kernel agent has registered it");
  });

  test(
    "is given up after 5 s, and the log says so",
    async () => {
      await using _ = await silent();
      await using wrapper = await startWrapper({ program, environment });
      const log = await logs(wrapper, "the kernel agent is not there");
      expect(log).toContain("no answer within 5000 ms");
    },
    PATIENT_MS,
  );

  test("and one that talks of something else, costs a warning", async () => {
    await using _ = await silent(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const { ran, exitCode, stderr } = await runToProof({ environment });
    expect({ ran, exitCode }).toEqual({ ran: true, exitCode: 0 });
    expect(stderr).toContain("the kernel agent is not there");
  });
});
