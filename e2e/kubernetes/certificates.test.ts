import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  askKubernetes,
  callKubernetes,
  certificateAuthority,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import {
  type CertificateStage,
  certificateStage,
  configurationPath,
  configureWebhooks,
  makeSecret,
  NAMES,
  NAMESPACE,
  type Replica,
  SECRET,
  secretPath,
  startReplica,
  tryPod,
} from "./certificate-stage.ts";

const TIMEOUT_MS = 240_000;
/** Rotated after 8 s, with an overlap of 600 ms. */
const source = {
  kind: "self-made",
  secret: { namespace: NAMESPACE, name: SECRET },
  names: NAMES,
  lifeMs: 12_000,
} as const;
const lasting = { ...source, lifeMs: 3_600_000, overlapMs: 500 };
/** The overlap has a dozen pods. Without a pause the API server does nothing else. */
const BETWEEN_PODS_MS = 25;
let stage: CertificateStage;
let replicas: Replica[] = [];

beforeAll(async () => {
  stage = await certificateStage(3);
}, TIMEOUT_MS);
afterAll(() => stage[Symbol.asyncDispose]());

beforeEach(async () => {
  const { kube } = stage;
  await askKubernetes(kube, { method: "DELETE", path: secretPath });
  await askKubernetes(kube, { method: "DELETE", path: configurationPath });
  await makeSecret(kube);
  await configureWebhooks(kube, stage.ports);
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  replicas = [];
});

function start(wanted: typeof source | typeof lasting): void {
  replicas = stage.ports.map((_, index) => startReplica(stage, index, wanted));
}

const wait = (what: string, condition: () => unknown) =>
  waitFor(async () => Boolean(await condition()), { deadlineMs: 20_000, what });

/** A moment after a webhook was written the API server begins to ask it. */
const answered = () =>
  wait("a pod to be answered by all", async () => {
    const before = replicas.map((replica) => replica.asked());
    const { status } = await tryPod(stage);
    return status === 201 && replicas.every((replica, at) => replica.asked() > (before[at] ?? 0));
  });

async function secret() {
  return Object(await callKubernetes(stage.kube, { method: "GET", path: secretPath })).data ?? {};
}

async function bundles(): Promise<readonly string[]> {
  const read = await callKubernetes(stage.kube, { method: "GET", path: configurationPath });
  const { webhooks } = Object(read);
  return webhooks.map((webhook: unknown) =>
    String(Object(Object(webhook).clientConfig).caBundle ?? ""),
  );
}

async function patch(path: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await callKubernetes(stage.kube, { method: "PATCH", path, body, contentType });
}

test(
  "no pod is refused while certificates are rotated, and leaders go",
  async () => {
    start(source);
    await answered();
    const refused: string[] = [];
    const end = new AbortController();
    let asked = 0;
    const asking = (async () => {
      while (!end.signal.aborted) {
        const { status, message } = await tryPod(stage);
        asked += 1;
        if (status !== 201) refused.push(message);
        await Bun.sleep(BETWEEN_PODS_MS);
      }
    })();
    const rotations = () => replicas.reduce((sum, replica) => sum + replica.rotations(), 0);
    for (const resigns of [true, true, false]) {
      const before = rotations();
      await wait("a rotation", () => rotations() > before);
      // The next leader continues from the state that it finds.
      if (resigns) await replicas.find((replica) => replica.leads())?.resign();
    }
    const latest = () => replicas.map(({ expiries }) => expiries.at(-1));
    await wait("every replica to serve the last one", () => new Set(latest()).size === 1);
    end.abort();
    await asking;
    expect(refused).toEqual([]);
    expect(asked).toBeGreaterThan(100);
    for (const { expiries } of replicas) expect(expiries).toEqual(expiries.toSorted());
  },
  TIMEOUT_MS,
);

describe("after an accident", () => {
  beforeEach(async () => {
    start(lasting);
    await answered();
  }, TIMEOUT_MS);

  test("a client overwrites the bundle: it is written again", async () => {
    const before = await bundles();
    const body = [{ op: "replace", path: "/webhooks/1/clientConfig/caBundle", value: "" }];
    const contentType = "application/json-patch+json";
    await callKubernetes(stage.kube, {
      method: "PATCH",
      path: configurationPath,
      body,
      contentType,
    });
    await wait("the bundle", async () => Bun.deepEquals(await bundles(), before));
    await answered();
  });

  test("the chart is applied again: the bundle stays", async () => {
    const before = await bundles();
    await configureWebhooks(stage.kube, stage.ports);
    expect(await bundles()).toEqual(before);
    expect((await tryPod(stage)).status).toBe(201);
  });

  const spoilt: Readonly<Record<string, (data: Readonly<Record<string, string>>) => object>> = {
    "has another key": (data) => ({ "tls.key": data["ca.crt"] }),
    "has lost its authority": () => ({ "ca.crt": null }),
    "has nonsense for a certificate": () => ({ "tls.crt": btoa("nonsense") }),
    "is empty": (data) => Object.fromEntries(Object.keys(data).map((key) => [key, null])),
  };
  for (const [name, spoil] of Object.entries(spoilt)) {
    test(`the Secret ${name}: no pod is refused, and it is replaced`, async () => {
      const before = await secret();
      await patch(secretPath, { data: spoil(before) });
      const refused: string[] = [];
      await wait("every replica to serve a new one", async () => {
        const { status, message } = await tryPod(stage);
        if (status !== 201) refused.push(message);
        return replicas.every(({ expiries }) => expiries.length === 2);
      });
      expect(refused).toEqual([]);
      const after = await secret();
      expect(after["tls.crt"]).not.toBe(before["tls.crt"]);
      // Clients trust the earlier certificate until it ends.
      expect(atob(after["old-ca.crt"]).trim()).toBe(atob(before["ca.crt"]).trim());
    });
  }

  test("the Secret is deleted: a replica that may not make it says so, and goes on once it is there", async () => {
    await callKubernetes(stage.kube, { method: "DELETE", path: secretPath });
    await wait("a line of the log", () =>
      stage.lines.some((line) =>
        line.includes(`create secret "${SECRET}" in namespace "${NAMESPACE}": status 403`),
      ),
    );
    expect((await tryPod(stage)).status).toBe(201);
    await makeSecret(stage.kube);
    await wait("new ones", () => replicas.every(({ expiries }) => expiries.length === 2));
    expect((await tryPod(stage)).status).toBe(201);
  });
});

test("the webhook comes after the replicas: it is trusted when it is there", async () => {
  await callKubernetes(stage.kube, { method: "DELETE", path: configurationPath });
  start(lasting);
  await wait("certificates", () => replicas.every(({ expiries }) => expiries.length === 1));
  await configureWebhooks(stage.kube, stage.ports);
  await answered();
  expect(stage.lines.some((line) => line.includes("no webhook trusts replicas"))).toBe(true);
});

test("the webhooks trust an authority in a file", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  const write = async () => {
    const authority = await certificateAuthority("somebody's CA");
    const { certificatePem, keyPem } = await authority.issue({ names: NAMES });
    await Bun.write(at("tls.crt"), certificatePem);
    await Bun.write(at("tls.key"), keyPem);
    await Bun.write(at("ca.crt"), authority.certificatePem);
  };
  await write();
  const paths = {
    certificatePath: at("tls.crt"),
    keyPath: at("tls.key"),
    authorityPath: at("ca.crt"),
  };
  replicas = stage.ports.map((_, index) =>
    startReplica(stage, index, { kind: "files", names: NAMES, ...paths }),
  );
  await answered();
  await write();
  await wait("the new one", () => replicas.every(({ expiries }) => expiries.length === 2));
  await answered();
  expect(await secret()).toEqual({});
});

test("no key is in any line of the logs", () => {
  expect(stage.lines.length).toBeGreaterThan(20);
  for (const line of stage.lines) expect(line).not.toMatch(/PRIVATE KEY|MIG[HT]AgEA/);
});
