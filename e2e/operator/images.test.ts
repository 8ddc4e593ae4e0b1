import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyObject, askKubernetes, callKubernetes, canary, waitFor } from "@svc/testing";
import { NAMESPACE, OPERATOR, withValues } from "../harness/kubernetes/operator-chart.ts";
import { makeNamespace } from "../harness/kubernetes/operator-release.ts";
import {
  askingPod,
  type CreatedPod,
  createPod,
  messageIn,
  variableIn,
  wrappedIn,
} from "./created-pods.ts";
import { type Registries, type RegistryUser, startRegistries } from "./registries.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { sendReview } from "./send-review.ts";

const TIMEOUT_MS = 240_000;
const user = { name: "puller", password: canary() };
const other = { name: "puller", password: canary() };

let registries: Registries;
let operator: RunningOperator;
const everything: CreatedPod[] = [];

beforeAll(async () => {
  registries = await startRegistries(user);
  operator = await runningOperator({ values: valuesOf("none") });
  await makeNamespace(operator.kube, "bank");
  await putSecret("right", user);
  await putSecret("wrong", other);
  await putSecret("right", user, "bank");
  await applyObject(operator.kube, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "puller", namespace: "shop" },
    imagePullSecrets: [{ name: "right" }],
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await registries[Symbol.asyncDispose]();
});

function valuesOf(access: "none" | "namespaces"): object {
  const pullSecrets = { access, ...(access === "namespaces" && { namespaces: ["shop"] }) };
  const times = { shutdownDelay: "200ms", shutdownGrace: "10s" };
  return withValues({ operator: { pullSecrets }, settings: { ...times, ...registries.settings } });
}

async function putSecret(
  name: string,
  { name: username, password }: RegistryUser,
  namespace = "shop",
): Promise<void> {
  const hosts = [registries.images.closed, registries.images.byToken].map((it) => it.split("/")[0]);
  const auths = Object.fromEntries(hosts.map((host) => [host, { username, password }]));
  await applyObject(operator.kube, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
  });
}

type ImageName = keyof Registries["images"];

/** A pod without a command. */
function podOf(name: ImageName): object {
  return askingPod({}, { command: undefined, image: registries.images[name] });
}

/** Creates such a pod. */
async function create(
  name: ImageName,
  secrets: readonly string[] = [],
  {
    namespace = "shop",
    ...more
  }: { readonly namespace?: string; readonly [field: string]: unknown } = {},
): Promise<CreatedPod> {
  const pod = podOf(name);
  const spec = {
    ...Object(pod).spec,
    imagePullSecrets: secrets.map((secret) => ({ name: secret })),
    ...more,
  };
  const created = await createPod(operator.kube, { ...pod, spec }, { namespace });
  everything.push(created);
  return created;
}

function startedBy(created: CreatedPod): readonly (string | undefined)[] {
  return ["SVC_ORIGINAL_CMD", "SVC_ORIGINAL_ARGS"].map((name) => variableIn(created, name));
}
const program = ['["/bin/app"]', '["serve"]'];

describe("a container without a command starts its image's command,", () => {
  const rows: Readonly<Record<string, ImageName>> = {
    "from a registry that is open, over plain HTTP as it is set": "open",
    "from one that has a certificate of a separate authority": "overTls",
    "from a mirror of one that is not there": "mirrored",
  };
  for (const [name, image] of Object.entries(rows)) {
    test(name, async () => {
      const created = await create(image);
      expect([messageIn(created), ...startedBy(created)]).toEqual(["", ...program]);
    });
  }
});

describe("if the operator may not read pull secrets,", () => {
  test("a private image is refused with what to do", async () => {
    const refused = await create("closed", ["right"]);
    expect(refused.status).toBe(403);
    expect(messageIn(refused).split("\n")[1]).toBe(
      `container app: must be one whose program is known: the container has no command, and the command of image ${registries.images.closed} is not known: at ${registries.images.closed.split("/")[0]}: it asks for credentials, and no pull secret matches; read pull secret right: the operator runs without --read-pull-secrets (set the command of the container in the pod)`,
    );
  });

  test("a command is enough", async () => {
    const pod = askingPod({}, { image: registries.images.closed });
    expect(wrappedIn(await createPod(operator.kube, pod))).toEqual(["app"]);
  });
});

describe("if it may,", () => {
  beforeAll(async () => {
    await operator.upgrade(valuesOf("namespaces"));
    // The authoriser learns of a Role a moment after it is stored.
    const isLet = async () => (await create("closed", ["right"])).status === 201;
    await waitFor(isLet, { deadlineMs: 20_000, what: "the operator to have its rights" });
  }, TIMEOUT_MS);

  const rows: Readonly<Record<string, readonly [ImageName, readonly string[]]>> = {
    "a password opens a registry": ["closed", ["right"]],
    "a token does": ["byToken", ["right"]],
    "a wrong password first and a right one second do": ["closed", ["wrong", "right"]],
    "a Secret that is not there first does not matter": ["byToken", ["missing", "right"]],
  };
  for (const [name, [image, secrets]] of Object.entries(rows)) {
    test(name, async () => {
      const created = await create(image, secrets);
      expect([messageIn(created), ...startedBy(created)]).toEqual(["", ...program]);
    });
  }

  test("the pull secret of the pod's account does, which the API server has put into the pod", async () => {
    const created = await create("closed", [], { serviceAccountName: "puller" });
    expect(created.body["spec"]).toMatchObject({ imagePullSecrets: [{ name: "right" }] });
    expect(startedBy(created)).toEqual(program);
  });

  const refusals: Readonly<Record<string, readonly [readonly string[], string, string?]>> = {
    "no pull secret": [
      [],
      "it asks for credentials, and no pull secret matches; add a Secret of type kubernetes.io/dockerconfigjson",
    ],
    "a wrong password": [["wrong"], "the credential that matches was refused; "],
    "a Secret that is not there": [["missing"], "read pull secret missing: there is none"],
    "a namespace that it may not read": [
      ["right"],
      "read pull secret right: the operator may not read Secrets of namespace bank",
      "bank",
    ],
  };
  for (const [name, [secrets, said, namespace = "shop"]] of Object.entries(refusals)) {
    test(`${name} is reported`, async () => {
      const refused = await create("closed", secrets, { namespace });
      expect(refused.status).toBe(403);
      expect(messageIn(refused)).toContain(said);
    });
  }

  test(
    "a Secret that was corrected is known ten seconds later at the latest",
    async () => {
      await putSecret("mended", other);
      expect((await create("closed", ["mended"])).status).toBe(403);
      await putSecret("mended", user);
      const isKnown = async () => (await create("closed", ["mended"])).status === 201;
      await waitFor(isKnown, { deadlineMs: 11_000, what: "the Secret's new password" });
    },
    TIMEOUT_MS,
  );
});

test(
  "a manifest that one replica has read is not pulled by the next one",
  async () => {
    expect(startedBy(await create("counted"))).toEqual(program);
    const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${OPERATOR}-images`;
    const isShared = async () => {
      const secret = await askKubernetes(operator.kube, { method: "GET", path });
      return Object.keys(Object(Object(secret.body).data)).length > 0;
    };
    await waitFor(isShared, { deadlineMs: 20_000, what: "the image in the Secret" });
    const before = registries.counting.pulls();
    await operator.replace();
    expect(startedBy(await create("counted"))).toEqual(program);
    expect([before, registries.counting.pulls()]).toEqual([1, 1]);
  },
  TIMEOUT_MS,
);

describe("a registry that does not answer", () => {
  test("because no server is there is reported at once", async () => {
    const beganMs = performance.now();
    const refused = await create("nowhere");
    expect(messageIn(refused)).toContain("connection refused; the operator has to reach");
    expect(performance.now() - beganMs).toBeLessThan(30_000);
  });

  test(
    "for another reason is reported in time, and running requests at the end are still answered",
    async () => {
      const beganMs = performance.now();
      const refused = await create("gated");
      expect(messageIn(refused)).toMatch(/no complete answer within 3000 ms; try again/);
      expect(performance.now() - beganMs).toBeLessThan(30_000);
      const [replica] = operator.replicas;
      if (replica === undefined) throw new TypeError("there is no replica");
      // Another tag: the first pod's questions may still arrive.
      const reviewing = sendReview(replica, podOf("gatedLater"));
      const isAsked = () => registries.gate.wasAskedFor("later");
      await waitFor(isAsked, { deadlineMs: 10_000, what: "the registry to be asked" });
      replica.process.signal("SIGTERM");
      const isEnding = () => replica.log().some(({ message }) => message === "it ends");
      await waitFor(isEnding, { deadlineMs: 5000, what: "the operator to end" });
      registries.gate.release();
      expect((await reviewing).patch).toContain(JSON.stringify(program[0]));
      expect(await replica.process.ended).toBe(0);
    },
    TIMEOUT_MS,
  );
});

test("no password is in a log, an answer or an event", async () => {
  const path = "/apis/events.k8s.io/v1/events";
  const events = await callKubernetes(operator.kube, { method: "GET", path });
  const configs = await askKubernetes(operator.kube, { method: "GET", path: "/api/v1/pods" });
  const told = [operator.outputs(), events, configs, everything].map((it) => JSON.stringify(it));
  for (const text of told) {
    expect(text).not.toContain(user.password);
    expect(text).not.toContain(other.password);
    for (const { name, password } of [user, other]) {
      expect(text).not.toContain(Buffer.from(`${name}:${password}`).toString("base64"));
    }
  }
});
