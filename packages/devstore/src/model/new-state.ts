import type { DevStoreOptions } from "./dev-store-options.ts";
import { DevStoreError } from "./errors.ts";
import { addVersion, type KvMount, NO_KV_SETTINGS, newSecret } from "./kv-secret.ts";
import { type RandomNames, randomNames } from "./random-names.ts";
import type { SecretsByPath } from "./secrets-by-path.ts";
import type { StoreState } from "./store-state.ts";
import { issueToken } from "./tokens.ts";

/** The mount that every store has, with or without secrets. */
const DEFAULT_MOUNT = "secret";

/** The state that a store with these options begins with. */
export function newState(
  options: Omit<DevStoreOptions, "host" | "port" | "now">,
  now: number,
  random: RandomNames = randomNames(),
): StoreState {
  const root = issueToken(
    {
      id: options.token ?? `s.${random.letters()}`,
      accessor: random.letters(),
      policies: ["root"],
      displayName: "root",
      path: "auth/token/root",
    },
    now,
  );
  return {
    sealed: false,
    rootToken: root.id,
    unsealKey: random.key(),
    clusterId: random.uuid(),
    clusterName: `vault-cluster-${random.uuid().slice(0, 8)}`,
    mounts: mountsOf(options.secrets, now),
    tokens: new Map([[root.id, root]]),
    policies: new Map(Object.entries(options.policies ?? {})),
    kubernetes: options.kubernetes,
    leased: new Map(Object.entries(options.leased ?? {})),
    leases: new Map(),
    leasesIssued: 0,
    random,
  };
}

function mountsOf(secrets: SecretsByPath, now: number): ReadonlyMap<string, KvMount> {
  const mounts = new Map([[DEFAULT_MOUNT, newMount(DEFAULT_MOUNT)]]);
  for (const [path, fields] of Object.entries(secrets)) {
    const [name, inside] = splitPath(path);
    const mount = mounts.get(name) ?? newMount(name);
    mounts.set(name, mount);
    mount.secrets.set(inside, addVersion(newSecret(now), fields, NO_KV_SETTINGS, now));
  }
  return mounts;
}

function newMount(path: string): KvMount {
  return { path, settings: NO_KV_SETTINGS, secrets: new Map() };
}

function splitPath(path: string): readonly [mount: string, inside: string] {
  const match = /^([^/].*?)\/data\/(.*[^/])$/.exec(path);
  const [, mount, inside] = match ?? [];
  if (mount === undefined || inside === undefined) {
    const wanted = "must be <mount>/data/<path>";
    throw new DevStoreError("BAD_OPTIONS", `path of a secret: ${wanted}: got "${path}"`);
  }
  return [mount, inside];
}
