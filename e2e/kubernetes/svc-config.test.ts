import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseSvcConfig } from "@svc/operator";
import {
  answerPart,
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  type KubernetesObject,
  startKubernetes,
  waitFor,
} from "@svc/testing";
import { parseManifest } from "../harness/kubernetes/helm.ts";

const TIMEOUT_MS = 240_000;
const PATH = "/apis/svc.internal/v1alpha1/namespaces/shop/svcconfigs";
const started = new AsyncDisposableStack();
let kube: Kubernetes;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const file = join(import.meta.dirname, "../../deploy/crds/svcconfigs.yaml");
  const [crd] = parseManifest(await Bun.file(file).text());
  if (crd === undefined) throw new TypeError("there is no definition");
  await applyObject(kube, crd);
  const isServed = async () => {
    const { status } = await askKubernetes(kube, { method: "GET", path: PATH });
    return status === 200 || undefined;
  };
  await waitFor(isServed, { deadlineMs: 20_000, what: "the definition to be served" });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

const address = "https://vault.example:8200";
const full = {
  vaultAddress: address,
  vaultRole: "app",
  vaultAuthMethod: "token",
  vaultAuthPath: "clusters/one",
  vaultNamespace: "team/a",
  secretPaths: ["secret/data/app", "team/kv/data/a/b#3", "dynamic:database/creds/app"],
  envMap: "password=DB_PASSWORD,url=DB_URL;*=*;username=DB_USER",
  rotation: "sighup",
  caBundle: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  wrapperImage: "registry.example/svc-bundle:0.1.0",
  wrapperResources: { requests: { cpu: "10m", memory: 33554432 }, limits: { memory: "64Mi" } },
  ebpf: true,
  tokenSecretRef: { name: "vault-token", key: "value" },
  brokerTlsSecretRef: { name: "broker" },
  brokerCaSecretRef: { name: "clients", key: "root.pem" },
  tokenAudience: "vault",
  allowedAddresses: [address, "http://127.0.0.1:8200/prefix"],
  selector: {
    matchLabels: { app: "web" },
    matchExpressions: [{ key: "tier", operator: "In", values: ["front"] }],
  },
};

async function judge(spec: object) {
  return askKubernetes(kube, {
    method: "POST",
    path: `${PATH}?dryRun=All&fieldValidation=Strict`,
    body: {
      apiVersion: "svc.internal/v1alpha1",
      kind: "SvcConfig",
      metadata: { name: "judged" },
      spec,
    },
  });
}

describe("the API server takes", () => {
  const taken: Readonly<Record<string, object>> = {
    "a SvcConfig with every field": full,
    "one that says nothing": {},
    "an address of IPv6": { vaultAddress: "http://[::1]:8200" },
    "a map without paths, and paths without a map": { envMap: "a=A;b=B" },
    "a selector for every pod": { selector: {} },
    "files, and no vault": { secretPaths: ["file:/etc/db", "file:/a%2Cb"], envMap: "a=A;b=B" },
  };
  for (const [name, spec] of Object.entries(taken)) {
    test(name, async () => {
      const { status, body } = await judge(spec);
      expect([status, body?.["message"]]).toEqual([201, undefined]);
      expect(parseSvcConfig(body)).toMatchObject({ ok: true, config: { spec } });
    });
  }

  test("defaults if nothing is said", async () => {
    const { body } = await judge({ tokenSecretRef: { name: "t" }, vaultAuthMethod: "token" });
    expect(body?.["spec"]).toEqual({
      tokenSecretRef: { name: "t", key: "token" },
      vaultAuthMethod: "token",
    });
  });
});

describe("the API server itself refuses", () => {
  const withKey = "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n";
  const refused: Readonly<Record<string, readonly [spec: object, said: string]>> = {
    "an address without a port": [{ vaultAddress: "https://vault.example" }, "with host and port"],
    "an address of another scheme": [{ vaultAddress: "ftp://vault:21" }, "http:// or https://"],
    "an address with a NUL": [{ vaultAddress: "https://vault:8200/\0" }, "with host and port"],
    "a CA of unseal clients without a certificate": [
      { brokerCaSecretRef: { name: "clients" } },
      "brokerCaSecretRef must be given with brokerTlsSecretRef",
    ],
    "an invalid address": [{ vaultAddress: "vault:8200" }, "http:// or https://"],
    "an address with a password": [
      { vaultAddress: "https://a:b@vault:8200" },
      "must not hold a user",
    ],
    "an address with a query": [{ vaultAddress: "https://vault:8200?a=b" }, "must not hold a user"],
    "an address that is not allowed": [
      { vaultAddress: address, allowedAddresses: ["https://other:8200"] },
      "one of allowedAddresses",
    ],
    "an invalid allowed address": [{ allowedAddresses: ["vault"] }, "http:// or https://"],
    "another method": [{ vaultAuthMethod: "ldap" }, "Unsupported value"],
    "another rotation": [{ rotation: "retsart" }, "Unsupported value"],
    "a relative path of a file": [{ secretPaths: ["file:db"] }, "file:/path"],
    "a path of KV version 1": [{ secretPaths: ["secret/app"] }, "mount/data/path"],
    "a path with a comma": [{ secretPaths: ["secret/data/a,secret/data/b"] }, "without commas"],
    "an invalid version": [{ secretPaths: ["secret/data/a#b"] }, "#version"],
    "no paths": [{ secretPaths: [] }, "should have at least 1 items"],
    "a map of other paths": [
      { secretPaths: ["secret/data/a"], envMap: "a=A;b=B" },
      "one group for each of secretPaths",
    ],
    "a token for the method kubernetes": [
      { tokenSecretRef: { name: "t" } },
      "vaultAuthMethod: token",
    ],
    "a bad Secret's name": [
      { vaultAuthMethod: "token", tokenSecretRef: { name: "A_b" } },
      "tokenSecretRef.name",
    ],
    "a bundle with a private key": [{ caBundle: withKey }, "never a private key"],
    "an invalid bundle": [{ caBundle: "MIIB" }, "must be PEM certificates"],
    "an invalid quantity": [{ wrapperResources: { limits: { memory: "lots" } } }, "memory"],
    "a quantity below nothing": [{ wrapperResources: { limits: { memory: "-1" } } }, "memory"],
    "a request above its limit": [
      { wrapperResources: { requests: { cpu: "1" }, limits: { cpu: "999m" } } },
      "requests must not be above limits",
    ],
    "a request above a limit in numbers": [
      { wrapperResources: { requests: { cpu: 2 }, limits: { cpu: 1 } } },
      "requests must not be above limits",
    ],
    "an invalid operator of a selector": [
      { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
      "Unsupported value",
    ],
    "values if there are none": [
      { selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } },
      "In and NotIn",
    ],
    "an unknown field": [{ vaultAddres: address }, "unknown field"],
    "another kind of value": [{ ebpf: "true" }, "must be of type boolean"],
  };
  for (const [name, [spec, said]] of Object.entries(refused)) {
    test(name, async () => {
      const { status, body } = await judge(spec);
      expect([status === 400 || status === 422, body?.["message"]]).toEqual([
        true,
        expect.stringContaining(said),
      ]);
    });
  }
});

test("the status is a separate part, with the columns of a list", async () => {
  const object: KubernetesObject = {
    apiVersion: "svc.internal/v1alpha1",
    kind: "SvcConfig",
    metadata: { namespace: "shop", name: "default" },
    spec: { vaultAddress: address },
  };
  await applyObject(kube, object);
  await callKubernetes(kube, {
    method: "PATCH",
    path: `${PATH}/default/status`,
    contentType: "application/merge-patch+json",
    body: {
      spec: { vaultAddress: "https://other:8200" },
      status: { ready: true, injectedPods: 3 },
    },
  });
  const stored = await callKubernetes(kube, { method: "GET", path: `${PATH}/default` });
  expect(answerPart(stored, "spec")).toMatchObject({ vaultAddress: address });
  expect(answerPart(stored, "status")).toEqual({ ready: true, injectedPods: 3 });
  const wide = ["Login", "Role", "Message"];
  expect(await columnsOfAList()).toEqual(["Name", "Vault", "Ready", "Injected", "Age", ...wide]);
});

/** What `kubectl get svcc` shows: the server itself makes the table. */
async function columnsOfAList(): Promise<readonly string[]> {
  const response = await fetch(`${kube.address}${PATH}`, {
    headers: {
      Accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
      Authorization: `Bearer ${kube.token}`,
    },
    tls: { ca: kube.caPem },
  });
  const table: unknown = await response.json();
  const { columnDefinitions = [] } = table as { columnDefinitions?: { name: string }[] };
  return columnDefinitions.map(({ name }) => name);
}
