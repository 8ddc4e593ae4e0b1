/**
 * An API server that has very many pods with a wrapper: `bun bench/pod-count/serve-pods.ts PODS
 * CHANGES FOLDER`. It answers as far as the operator asks about them: lists in pages, watches, one
 * SvcConfig with its status, a Lease. CHANGES pods a second are replaced. Prints its port, and then
 * each count of pods that it gets.
 */
import { argv, stdout } from "node:process";
import { listInProtobuf } from "./protobuf.ts";

const [pods, changesASecond, folder = ""] = argv.slice(2);
const podCount = Number(pods);
const changes = Number(changesASecond);
const SVC_CONFIG = {
  apiVersion: "svc.internal/v1alpha1",
  kind: "SvcConfig",
  metadata: { namespace: "shop", name: "default", uid: "u", resourceVersion: "1", generation: 1 },
  spec: { vaultAddress: "https://vault.test:8200", vaultRole: "app" },
};
const marker = JSON.stringify({
  containers: ["app"],
  bundleContainer: "svc-bundle",
  config: "shop/default",
  volumes: { bundle: "svc-bundle", account: "svc-account" },
});
/** The record of the kubelet and the API server about changed fields. */
const managed = Array.from({ length: 12 }, (_, index) => ({
  ...{ manager: "kube-controller-manager", operation: "Update", apiVersion: "v1" },
  time: "2026-11-22T12:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:metadata": { [`f:field-${index}`]: { ".": {}, "f:name": {}, "f:value": {} } } },
}));
let version = 1000;
let replaced = 0;

function podOf(number: number) {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: {
      name: `web-7d4b9c5f6-${number.toString(36).padStart(6, "0")}`,
      generateName: "web-7d4b9c5f6-",
      namespace: `shop-${number % 50}`,
      uid: `7a3b1c2d-0000-4000-8000-${number.toString(16).padStart(12, "0")}`,
      resourceVersion: String(version),
      creationTimestamp: "2026-11-22T12:00:00Z",
      labels: { app: "web", "pod-template-hash": "7d4b9c5f6", "svc.internal/injected": "true" },
      annotations: { "svc.internal/inject": "true", "svc.internal/injected": marker },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-7d4b9c5f6" }],
      managedFields: managed,
    },
  };
}

function pageOf(query: URLSearchParams): Response {
  const from = Number(query.get("continue") ?? 0);
  const until = Math.min(from + Number(query.get("limit") ?? podCount), podCount);
  const page = Array.from({ length: until - from }, (_, index) => podOf(from + index));
  const next = until < podCount ? String(until) : "";
  return new Response(listInProtobuf(page, { version: String(version), next }));
}

/** As many as changed in a tenth of a second come together. */
function changedPods(): Response {
  const text = new TextEncoder();
  let timer: NodeJS.Timeout;
  const body = new ReadableStream({
    start(controller) {
      timer = setInterval(() => {
        const lines = Array.from({ length: changes / 10 }, () => {
          version += 1;
          replaced += 1;
          const isNew = replaced % 2 === 0;
          const number = isNew ? podCount + replaced / 2 : (replaced - 1) / 2;
          return JSON.stringify({ type: isNew ? "ADDED" : "DELETED", object: podOf(number) });
        });
        controller.enqueue(text.encode(lines.map((line) => `${line}\n`).join("")));
      }, 100);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body);
}

const silence = () => new Response(new ReadableStream({ start: () => undefined }));
const objects = new Map<string, object>();

function stored(path: string, change: object): Response {
  version += 1;
  const before = Object(objects.get(path));
  const metadata = {
    ...before.metadata,
    ...Object(change).metadata,
    resourceVersion: String(version),
  };
  const object = { ...before, ...change, metadata };
  objects.set(path, object);
  return Response.json(object);
}

const server = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0, development: false, idleTimeout: 255 },
  tls: { cert: Bun.file(`${folder}/tls.crt`), key: Bun.file(`${folder}/tls.key`) },
  fetch: async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const isWatch = searchParams.has("watch");
    if (pathname === "/api/v1/pods") return isWatch ? changedPods() : pageOf(searchParams);
    if (pathname.endsWith("/svcconfigs")) {
      const list = { metadata: { resourceVersion: "1" }, items: [SVC_CONFIG] };
      return isWatch ? silence() : Response.json(list);
    }
    if (request.method === "GET") {
      const object = objects.get(pathname);
      return object === undefined ? new Response("{}", { status: 404 }) : Response.json(object);
    }
    const change = Object(await request.json());
    if (pathname.endsWith("/status")) stdout.write(`${change.status.injectedPods}\n`);
    const { name } = Object(change.metadata);
    return stored(request.method === "POST" ? `${pathname}/${name}` : pathname, change);
  },
});
stdout.write(`${server.port}\n`);
