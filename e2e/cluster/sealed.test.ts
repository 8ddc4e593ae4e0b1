import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  type Certificate,
  type CertificateAuthority,
  certificateAuthority,
  makeToken,
  waitFor,
} from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import type { OpenStore } from "./store/open-store.ts";
import { storyCluster } from "./story-cluster.ts";
import { isReady, type Pod, readPod, waitForPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "sealed";
const pod = { namespace, name: "waiting" };
let store: OpenStore;
let value: string;
let servers: CertificateAuthority;
let clients: CertificateAuthority;

beforeAll(async () => {
  const { scratch: image } = await applicationImages(cluster.state);
  ({ store, value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
  servers = await certificateAuthority("svc test servers");
  clients = await certificateAuthority("svc test clients");
  const { certificatePem, keyPem } = await servers.issue({ names: ["waiting.sealed"] });
  await cluster.apply(
    {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "unseal-tls" } },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": certificatePem, "tls.key": keyPem },
    },
    {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "unseal-clients" } },
      stringData: { "ca.crt": clients.certificatePem },
    },
  );
  const annotations = {
    "vault-auth-method": "token",
    "broker-tls-secret": "unseal-tls",
    "broker-ca-secret": "unseal-clients",
  };
  await cluster.apply(injectedPod({ ...pod, image, annotations }));
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

test("a pod in sealed mode waits, and refuses a token that comes without a certificate", async () => {
  const found = await isSealed();
  const token = await makeToken(store, { policies: ["svc"] });
  const strangers = await certificateAuthority("svc test strangers");
  expect(await unseal(found, token)).toMatchObject([403, "CLIENT_CERTIFICATE_REQUIRED"]);
  expect(await unseal(found, token, await strangers.issue())).toMatchObject([
    403,
    expect.any(String),
  ]);
  expect(isReady(await readPod(cluster, pod))).toBe(false);
});

test("a client with a certificate unseals it, and the program starts", async () => {
  const found = await isSealed();
  const client = await clients.issue({ names: ["deployer"] });
  const refused = await untilTheVaultAnswers(() => unseal(found, "no-such-token", client));
  expect(refused).toMatchObject([403, "TOKEN_REFUSED"]);
  const token = await makeToken(store, { policies: ["svc"] });
  expect(await untilTheVaultAnswers(() => unseal(found, token, client))).toEqual([200, undefined]);
  const ready = await waitForReady(cluster, pod);
  expect(await toldDigest(ready)).toBe(digestOf(value));
});

/** Waits until its wrapper says over TLS that it is sealed. */
async function isSealed(): Promise<Pod> {
  const found = await waitForPod(
    cluster,
    pod,
    ({ status }) => status.podIP !== undefined,
    "to have an address",
  );
  const says = async () => {
    const reply = await ask(found, "/readyz").catch(() => undefined);
    return reply !== undefined && Object(await reply.json()).status === "sealed";
  };
  await waitFor(says, { deadlineMs: 60_000, what: "the wrapper to be sealed" });
  return found;
}

/** On a busy machine its store may change the leader, as a client would see, too. */
async function untilTheVaultAnswers(ask: () => ReturnType<typeof unseal>) {
  const answer = async () => {
    const [status, code] = await ask();
    return code === "VAULT_UNAVAILABLE" ? undefined : ([status, code] as const);
  };
  return waitFor(answer, { deadlineMs: 60_000, what: "an answer of the vault" });
}

/** The status, and the error's code. */
async function unseal(
  at: Pod,
  token: string,
  client?: Certificate,
): Promise<readonly [number, string | undefined]> {
  const reply = await ask(at, "/v1/unseal", { token, client });
  return [reply.status, Object(await reply.json()).error?.code];
}

async function ask(
  { status }: Pod,
  path: string,
  bring?: { readonly token: string; readonly client: Certificate | undefined },
): Promise<Response> {
  return fetch(`https://${status.podIP}:8199${path}`, {
    ...(bring !== undefined && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: bring.token }),
    }),
    keepalive: false,
    tls: {
      ca: servers.certificatePem,
      // The certificate names the pod, which is called by its address here.
      checkServerIdentity: () => undefined,
      ...(bring?.client && { cert: bring.client.certificatePem, key: bring.client.keyPem }),
    },
  });
}
