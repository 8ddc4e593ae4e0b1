import { expect } from "bun:test";
import { askKubernetes, callBao, callKubernetes, type OpenBao, sealBao } from "@svc/testing";
import { type Cluster, outputPath } from "./cluster.ts";
import type { ProxiedEnd } from "./proxied-run.ts";
import type { StoreRelease } from "./store-release.ts";

const LONG_AGO = new Date(0).toISOString();

/** Lets the life of a reservation end, if there is one. */
export async function letTimePass({ kube }: Cluster, release: StoreRelease): Promise<void> {
  const path = outputPath(release);
  const { status, body } = await askKubernetes(kube, { method: "GET", path });
  if (status === 404 || JSON.stringify(body).includes('"unseal-key-1"')) return;
  await callKubernetes(kube, {
    ...{ method: "PATCH", path, contentType: "application/merge-patch+json" },
    body: { metadata: { annotations: { "svc.internal/reserved-at": LONG_AGO } } },
  });
}

/** The last thing that a run with JSON said. */
export function lastOf({ stdout }: Pick<ProxiedEnd, "stdout">): Readonly<Record<string, unknown>> {
  const last: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (typeof last !== "object" || last === null) throw new TypeError(`it said ${stdout}`);
  return Object.fromEntries(Object.entries(last));
}

/** Everything that runs did, for the message of a failure. */
export function describeRuns(title: string, runs: readonly ProxiedEnd[]): string {
  const texts = runs.map(({ exitCode, stdout, stderr, requests, initialisations }, index) =>
    [
      `-- run ${index + 1}: exit ${exitCode}, ${initialisations} initialisations`,
      `requests: ${requests.join(", ")}`,
      `${stdout}${stderr}`,
    ].join("\n"),
  );
  return [title, ...texts].join("\n");
}

/** Seals the store and opens it with the Secret's entries alone. */
export async function reopenWithSecret(cluster: Cluster, release: StoreRelease): Promise<void> {
  const keys = (await cluster.keysOf(release)) ?? {};
  const node = firstNode(release);
  await sealBao({ ...node, rootToken: keys["root-token"] ?? "" });
  expect(await openWith(node, keys)).toMatchObject({ sealed: false });
}

/** The store's answer to the last of two shares that are in the Secret. */
export async function openWith(node: OpenBao, keys: Readonly<Record<string, string>>) {
  const shares = Object.entries(keys).filter(([name]) => name.startsWith("unseal-key-"));
  expect(shares.map(([name]) => name)).toEqual(["unseal-key-1", "unseal-key-2", "unseal-key-3"]);
  // The last two: a run itself gives the first ones.
  await callBao(node, { method: "PUT", path: "sys/unseal", body: { key: shares[2]?.[1] } });
  return callBao(node, { method: "PUT", path: "sys/unseal", body: { key: shares[1]?.[1] } });
}

/** The release's one node. */
export function firstNode({ nodes: [node] }: StoreRelease): OpenBao {
  if (node === undefined) throw new TypeError("the release has no node");
  return node;
}
