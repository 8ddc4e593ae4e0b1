import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyPatch, type Container, type Pod, parsePod } from "@svc/operator";
import { decided, goldenPods } from "@svc/operator/testdata";
import { applyObject, askKubernetes, type Kubernetes, startKubernetes } from "@svc/testing";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let kube: Kubernetes;

/** The pods of the operator's own tests that it gives a wrapper. */
const patched = goldenPods().flatMap((golden) => {
  const decision = decided(golden);
  return decision.kind === "patch" ? [{ ...golden, patch: decision.patch }] : [];
});

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  for (const [name, level] of [
    ["shop", "privileged"],
    ["restricted", "restricted"],
  ] as const) {
    const labels = { "pod-security.kubernetes.io/enforce": level };
    const metadata = { name, labels };
    await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata });
    const account = { namespace: name, name: "default" };
    await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  }
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/**
 * Has the API server judge a pod in a namespace, with every defect of its form an error, without
 * creating it.
 */
async function judge(namespace: string, body: unknown) {
  const reply = await askKubernetes(kube, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
    body,
  });
  return [reply.status, reply.body?.["message"]] as const;
}

/**
 * The class that the server gives a pod: it decides which pod is killed first when memory is short.
 */
async function classOf(body: unknown): Promise<unknown> {
  const path = "/api/v1/namespaces/shop/pods?dryRun=All";
  const reply = await askKubernetes(kube, { method: "POST", path, body });
  return Object(reply.body?.["status"])["qosClass"];
}

/** The pod in a namespace; its account's token is mounted by the server. */
function inNamespace(pod: Pod, namespace: string): Pod {
  const { serviceAccountName: _, ...spec } = pod.spec;
  return {
    ...pod,
    metadata: { ...pod.metadata, namespace },
    spec: { ...spec, serviceAccountName: "default" },
  };
}

describe("strictly validated", () => {
  for (const { name, pod, patch } of patched) {
    test(`${name} is accepted before and after`, async () => {
      const before = inNamespace(pod, "shop");
      expect(await judge("shop", before)).toEqual([201, undefined]);
      expect(await judge("shop", applyPatch(before, patch))).toEqual([201, undefined]);
    });

    test(`${name} keeps its class`, async () => {
      const before = inNamespace(pod, "shop");
      expect(await classOf(applyPatch(before, patch))).toBe(await classOf(before));
    });
  }
});

/** A template takes the patch that a pod, once it is there, no longer takes. */
describe("applied by the server, the patch of", () => {
  const TEMPLATES = "/api/v1/namespaces/shop/podtemplates";
  const templateOf = ({ metadata, spec }: Pod, name: string) => {
    const { annotations, labels } = metadata;
    const template = { metadata: { annotations, labels }, spec };
    return {
      apiVersion: "v1",
      kind: "PodTemplate",
      metadata: { name, namespace: "shop" },
      template,
    };
  };
  for (const { name, pod, patch } of patched) {
    test(`${name} makes the pod that we compute`, async () => {
      const before = inNamespace(pod, "shop");
      await applyObject(kube, templateOf(before, name));
      const byServer = await askKubernetes(kube, {
        method: "PATCH",
        path: `${TEMPLATES}/${name}?dryRun=All&fieldValidation=Strict`,
        body: patch.map((operation) => ({ ...operation, path: `/template${operation.path}` })),
        contentType: "application/json-patch+json",
      });
      const byUs = await askKubernetes(kube, {
        method: "POST",
        path: `${TEMPLATES}?dryRun=All&fieldValidation=Strict`,
        body: templateOf(podOf(applyPatch(before, patch)), `${name}-after`),
      });
      expect([byServer.status, byServer.body?.["message"]]).toEqual([200, undefined]);
      expect(byServer.body?.["template"]).toEqual(byUs.body?.["template"]);
    });
  }
});

/** The golden pods as the standard restricted wants them, as far as their own parts go. */
const restricted = goldenPods().map((golden) => ({ ...golden, pod: asRestricted(golden.pod) }));

/** A pod that needs more than the standard allows says so in its annotation. */
const tooMuch: Readonly<Record<string, readonly string[]>> = {
  csi: ["IPC_LOCK"],
  ebpf: ["hostPath", "IPC_LOCK"],
};

describe("in a namespace that enforces the standard restricted", () => {
  for (const golden of restricted) {
    const decision = decided(golden);
    if (decision.kind !== "patch") continue;
    test(`${golden.name} is admitted as before`, async () => {
      const before = inNamespace(golden.pod, "restricted");
      expect(await judge("restricted", before)).toEqual([201, undefined]);
      const found = await judge("restricted", applyPatch(before, decision.patch));
      const forbidden = tooMuch[golden.name];
      if (forbidden === undefined) expect(found).toEqual([201, undefined]);
      for (const word of forbidden ?? [])
        expect(found).toEqual([403, expect.stringContaining(word)]);
    });
  }
});

function asRestricted(pod: Pod): Pod {
  const { hostNetwork: _, hostPID: __, initContainers, containers, ...spec } = pod.spec;
  const contained = (container: Container): Container => {
    const { runAsUser } = container.securityContext ?? {};
    const user = typeof runAsUser === "number" && runAsUser > 0 ? { runAsUser } : {};
    const securityContext = {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      ...user,
    };
    return { ...container, securityContext };
  };
  return {
    ...pod,
    spec: {
      ...spec,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: containers.map(contained),
      ...(initContainers && { initContainers: initContainers.map(contained) }),
    },
  };
}

function podOf(value: unknown): Pod {
  const parsed = parsePod(value);
  if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
  return parsed.pod;
}
