import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, needsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { podCgroup } from "../harness/agent/pod-cgroup.ts";
import {
  agentPlace,
  startRecordingAgent,
  startTcpAgent,
} from "../harness/agent/registration-stage.ts";
import { findInMemory } from "../harness/processes/leak-search.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { deadline, logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const program = ["--", "/bin/sh", "-c", "echo started; exec sleep 60"];
const json = { SVC_LOG_FORMAT: "json", SVC_LOG_LEVEL: "debug" };
// Each runtime has its own words for it.
const unknownCa = "unknown authority";
const wrongName = "wrong name";
const podUid = crypto.randomUUID();
const otherUid = crypto.randomUUID();

beforeAll(async () => {
  const authority = await certificateAuthority();
  const stranger = await certificateAuthority("a stranger");
  writeFileSync(at("ca.pem"), authority.certificatePem);
  for (const [name, issuer] of [
    ["agent", authority],
    ["wrapper", authority],
    ["strange", stranger],
  ] as const) {
    const { certificatePem, keyPem } = await issuer.issue();
    writeFileSync(at(`${name}.pem`), certificatePem);
    writeFileSync(at(`${name}.key`), keyPem);
  }
});
afterAll(() => {
  place.remove();
  folder[Symbol.dispose]();
});

const programOf = (wrapper: RunningWrapper): number => childrenOf(wrapper.pid)[0] ?? 0;

// A pod has a cgroup, which only root makes.
needsRoot(describe)("a wrapper in a pod, at the socket", () => {
  test("is registered for the pod of its cgroup", async () => {
    await using cgroup = podCgroup(podUid);
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({
      instead: cgroup.wrapper(...program),
      environment: {
        ...{ ...stage.environment, ...place.environment, ...json, SVC_POD_UID: podUid },
        ...{ SVC_POD_NAME: "web-0", SVC_POD_NAMESPACE: "shop", SVC_CONTAINER_NAME: "web" },
      },
    });
    await wrapper.prints("started");
    // On a busy machine the wrapper starts the program before the agent has answered.
    const isProtected = () => agent.marks.protections.get(programOf(wrapper)) === 1n;
    await waitFor(isProtected, deadline("its mark"));
    expect(agent.registry.registrationOf(1n)).toMatchObject({
      ...{ podUid, by: "socket" },
      named: { podName: "web-0", podNamespace: "shop", container: "web" },
    });
    await end(wrapper);
  });

  test("is not identified by its own words: another pod's UID is refused", async () => {
    await using cgroup = podCgroup(podUid);
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({
      instead: cgroup.wrapper(...program),
      environment: { ...stage.environment, ...place.environment, ...json, SVC_POD_UID: otherUid },
    });
    await wrapper.prints("started");
    expect(await logs(wrapper, "REGISTRATION_POD_MISMATCH")).toContain(podUid);
    expect(agent.marks.protections.size).toBe(0);
    await end(wrapper);
  });
});

describe("a wrapper in a pod, over TCP", () => {
  const tcpAgent = () =>
    startTcpAgent(at("tcp/agent.sock"), {
      tls: { certPath: at("agent.pem"), keyPath: at("agent.key"), clientCaPath: at("ca.pem") },
    });

  const shown = (name: string) => ({
    SVC_EBPF_AGENT_CERT: at(`${name}.pem`),
    SVC_EBPF_AGENT_KEY: at(`${name}.key`),
  });

  needsRoot(test)("is registered by its certificate, and owns nothing", async () => {
    await using cgroup = podCgroup(podUid);
    await using agent = await tcpAgent();
    const { marks, registry, address: SVC_EBPF_AGENT_ADDR } = agent;
    await using wrapper = await startWrapper({
      instead: cgroup.wrapper(...program),
      environment: {
        ...stage.environment,
        ...json,
        ...shown("wrapper"),
        SVC_EBPF_AGENT_ADDR,
        SVC_EBPF_AGENT_CA: at("ca.pem"),
        SVC_POD_UID: podUid,
      },
    });
    await wrapper.prints("started");
    const pid = programOf(wrapper);
    await waitFor(() => marks.protections.has(pid), deadline("its mark"));
    expect(registry.registrationOf(1n)).toMatchObject({ podUid, by: "certificate" });
    expect(marks.owners.size).toBe(0);
    // Once connected, the wrapper has wiped the text of the key.
    expect(findInMemory(wrapper.pid, linesOf(at("wrapper.key")))).toEqual([]);
    await end(wrapper);
  });

  const refused: readonly (readonly [
    name: string,
    environment: () => Readonly<Record<string, string>>,
    found: string,
  ])[] = [
    [
      "by another client's certificate",
      () => ({ SVC_EBPF_AGENT_CA: at("ca.pem"), ...shown("strange") }),
      "gRPC status 16",
    ],
    ["without any proof", () => ({ SVC_EBPF_AGENT_CA: at("ca.pem") }), "gRPC status 16"],
    ["if it does not know the agent's CA", () => shown("wrapper"), unknownCa],
    [
      "if the agent has another name",
      () => ({
        SVC_EBPF_AGENT_CA: at("ca.pem"),
        SVC_EBPF_AGENT_SERVER_NAME: "agent.example",
        ...shown("wrapper"),
      }),
      wrongName,
    ],
  ];
  for (const [name, environment, found] of refused) {
    test(`is not registered ${name}`, async () => {
      await using agent = await tcpAgent();
      const { marks, address: SVC_EBPF_AGENT_ADDR } = agent;
      await using wrapper = await startWrapper({
        program: program.slice(1),
        environment: {
          ...stage.environment,
          ...json,
          SVC_EBPF_AGENT_ADDR,
          SVC_POD_UID: podUid,
          ...environment(),
        },
      });
      await wrapper.prints("started");
      expect(await logs(wrapper, "the kernel agent is not there")).toContain(found);
      expect(marks.protections.size).toBe(0);
    });
  }
});

/** The lines of a PEM file between its first and its last one. */
function linesOf(path: string): readonly string[] {
  return readFileSync(path, "utf8").trim().split("\n").slice(1, -1);
}

/** Its cgroup is removed after it. */
async function end(wrapper: RunningWrapper): Promise<void> {
  wrapper.kill(15);
  await wrapper.ended;
}
