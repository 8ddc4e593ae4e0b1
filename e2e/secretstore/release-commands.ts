import { type BaoTarget, callBao } from "@svc/testing";
import type { Cluster } from "./cluster.ts";
import { runSvc, type SvcEnd } from "./run-svc.ts";
import { type ReleaseOptions, type StoreRelease, startRelease } from "./store-release.ts";

/** A release, and the commands that its administrator runs. */
export interface CommandedRelease {
  readonly release: StoreRelease;
  /** The environment of the commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `svc secretstore` with these words. */
  readonly svc: (words: readonly string[], input?: Input) => Promise<SvcEnd>;
  /** Everything that the commands have said so far. */
  readonly said: () => string;
  /** The data of the output Secret. */
  readonly keys: () => Promise<Readonly<Record<string, string>>>;
}

type Input = string | Uint8Array<ArrayBuffer>;

/** Starts a release of servers that are not initialised. */
export async function commandedRelease(
  cluster: Cluster,
  options: ReleaseOptions,
): Promise<CommandedRelease> {
  const release = await startRelease(cluster.kube, options);
  const environment = cluster.environmentFor(release);
  let said = "";
  return {
    release,
    environment,
    svc: async (words, input = "") => {
      const run = { environment, hosts: release.hosts, input };
      const end = await runSvc(["secretstore", ...words], run);
      said += end.stdout + end.stderr;
      return end;
    },
    said: () => said,
    keys: async () => (await cluster.keysOf(release)) ?? {},
  };
}

/** Has every node as after a restart of its pod: sealed, and without any key share. */
export async function sealAll({ nodes }: StoreRelease, rootToken: string): Promise<void> {
  for (const node of nodes) {
    await callBao({ ...node, rootToken }, { method: "PUT", path: "sys/seal" });
    await forgetShares(node);
  }
}

/** Has a sealed node forget the key shares that it was given. */
export async function forgetShares(node: BaoTarget): Promise<void> {
  await callBao(node, { method: "PUT", path: "sys/unseal", body: { reset: true } });
}

/** How many key shares each node has been given; undefined if it is unsealed. */
export function progressOf({ nodes }: StoreRelease): Promise<readonly (number | undefined)[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const state = await callBao(node, { method: "GET", path: "sys/seal-status" });
      return state?.["sealed"] === true ? Number(state["progress"]) : undefined;
    }),
  );
}
