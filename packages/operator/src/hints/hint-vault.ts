import type { VaultClient, VersionState } from "@svc/vault";
import type { FoundVersion } from "./subscription.ts";
import type { VaultTokens } from "./vault-tokens.ts";

/** Asks a vault for the newest versions of secrets. @throws VaultError, all of them */
export interface HintVault {
  /** All of a mount, by their names in it. */
  readonly scan: (mount: string) => Promise<ReadonlyMap<string, FoundVersion>>;
  /** One of them, by its data path. */
  readonly read: (dataPath: string) => Promise<FoundVersion | undefined>;
}

/** Asks by tokens of a role that may read metadata. */
export function hintVault(
  client: () => Pick<VaultClient, "scanMetadata" | "readMetadata">,
  tokens: VaultTokens,
  dateMs: () => number = Date.now,
): HintVault {
  return {
    scan: (mount) =>
      tokens.use(async (token) => {
        const all = new Map<string, FoundVersion>();
        for (const [name, { version, state }] of await client().scanMetadata(token, mount)) {
          const found = foundVersion(version, state, dateMs());
          if (found !== undefined) all.set(name, found);
        }
        return all;
      }),
    read: (dataPath) =>
      tokens.use(async (token) => {
        const { currentVersion, versions } = await client().readMetadata(token, dataPath);
        return foundVersion(currentVersion, versions.get(currentVersion), dateMs());
      }),
  };
}

/** Undefined for a secret without a version, which has settings alone. */
export function foundVersion(
  version: number,
  state: VersionState | undefined,
  dateMs: number,
): FoundVersion | undefined {
  if (!Number.isSafeInteger(version) || version < 1 || state === undefined) return undefined;
  const { createdTime, deletionTime, destroyed } = state;
  const isDeleted = deletionTime !== "" && !(Date.parse(deletionTime) > dateMs);
  const stamp = `${createdTime} ${deletionTime} ${destroyed}`;
  return { version, stamp, isUsable: !destroyed && !isDeleted };
}
