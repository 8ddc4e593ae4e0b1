import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TokenReviewer, tokenReviewer } from "@svc/agent";
import { connectApi } from "@svc/kubernetes";
import {
  answerPart,
  answerText,
  applyObject,
  callKubernetes,
  certificateAuthority,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
} from "@svc/testing";
import { podCgroup } from "../harness/agent/pod-cgroup.ts";
import { startTcpAgent } from "../harness/agent/registration-stage.ts";
import { findInMemory } from "../harness/processes/leak-search.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 240_000;
const AUDIENCE = "svc-agent";
const stage = setStage();
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const started = new AsyncDisposableStack();
const program = ["--", "/bin/sh", "-c", "echo started; exec sleep 60"];

interface Story {
  readonly kube: Kubernetes;
  readonly reviewToken: TokenReviewer;
  /** UIDs of the pods. */
  readonly own: string;
  readonly other: string;
}
let running: Story | undefined;
const story = (): Story => {
  if (running === undefined) throw new TypeError("the API server did not start");
  return running;
};

beforeAll(async () => {
  const kube = started.use(await startKubernetes());
  const metadata = { name: "app", namespace: "shop" };
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const api = await connectApi({ kind: "kubeconfig", paths: [kube.kubeconfig] });
  const pods = { own: await createPod(kube, "own"), other: await createPod(kube, "other") };
  running = { kube, reviewToken: tokenReviewer(api, AUDIENCE), ...pods };
  const authority = await certificateAuthority();
  const { certificatePem, keyPem } = await authority.issue();
  writeFileSync(at("ca.pem"), authority.certificatePem);
  writeFileSync(at("agent.pem"), certificatePem);
  writeFileSync(at("agent.key"), keyPem);
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});

describe("a wrapper over TCP with a service account's token", () => {
  test("is registered for the pod that the token is bound to", async () => {
    const { own } = story();
    await using cgroup = podCgroup(own);
    await using agent = await tcpAgent();
    const token = await tokenOf({ pod: "own" });
    await using wrapper = await startWrapper({
      instead: cgroup.wrapper(...program),
      environment: environmentOf(agent.address, own, token),
    });
    await wrapper.prints("started");
    const pid = childrenOf(wrapper.pid)[0] ?? 0;
    expect(agent.marks.protections.get(pid)).toBe(1n);
    expect(agent.registry.registrationOf(1n)).toMatchObject({ podUid: own, by: "token" });
    expect(agent.marks.owners.size).toBe(0);
    // Once connected, the wrapper has wiped the token.
    expect(findInMemory(wrapper.pid, [token])).toEqual([]);
    wrapper.kill(15);
    await wrapper.ended;
  });

  const refused: readonly (readonly [name: string, token: () => Promise<string>, found: string])[] =
    [
      ["of another pod", () => tokenOf({ pod: "other" }), "is of pod"],
      [
        "for another audience",
        () => tokenOf({ pod: "own", audience: "vault" }),
        "does not know it",
      ],
      ["that is bound to no pod", () => tokenOf({}), "not bound to a pod"],
      ["without a signature", async () => "e30.e30.e30", "does not know it"],
    ];
  for (const [name, token, found] of refused) {
    test(`is refused with one ${name}`, async () => {
      const { own } = story();
      await using agent = await tcpAgent();
      await using wrapper = await startWrapper({
        program: program.slice(1),
        environment: environmentOf(agent.address, own, await token()),
      });
      await wrapper.prints("started");
      expect(await logs(wrapper, "the kernel agent")).toMatch(new RegExp(found));
      expect(agent.marks.protections.size).toBe(0);
    });
  }
});

function environmentOf(address: string, podUid: string, token: string) {
  writeFileSync(at("token"), token);
  return {
    ...stage.environment,
    SVC_LOG_FORMAT: "json",
    SVC_EBPF_AGENT_ADDR: address,
    SVC_EBPF_AGENT_CA: at("ca.pem"),
    SVC_EBPF_AGENT_TOKEN_FILE: at("token"),
    SVC_POD_UID: podUid,
  };
}

const tcpAgent = () =>
  startTcpAgent(at("svc/agent.sock"), {
    tls: { certPath: at("agent.pem"), keyPath: at("agent.key") },
    reviewToken: story().reviewToken,
  });

async function createPod(kube: Kubernetes, name: string): Promise<string> {
  const made = await callKubernetes(kube, {
    method: "POST",
    path: "/api/v1/namespaces/shop/pods",
    body: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { serviceAccountName: "app", containers: [{ name: "app", image: "app" }] },
    },
  });
  return answerText(answerPart(made, "metadata"), "uid");
}

/** Bound to a pod, as the kubelet has it made for a projected volume. */
async function tokenOf(wanted: { readonly pod?: "own" | "other"; readonly audience?: string }) {
  const { kube, own, other } = story();
  const { pod, audience = AUDIENCE } = wanted;
  const uid = pod === "own" ? own : other;
  const bound = { kind: "Pod", apiVersion: "v1", name: pod, uid };
  const made = await callKubernetes(kube, {
    method: "POST",
    path: "/api/v1/namespaces/shop/serviceaccounts/app/token",
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [audience], ...(pod && { boundObjectRef: bound }) },
    },
  });
  return answerText(answerPart(made, "status"), "token");
}
