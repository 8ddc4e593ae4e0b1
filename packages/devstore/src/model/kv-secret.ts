import type { JsonObject } from "../json/json.ts";

/** One version of a secret; `data` is null once destroyed, or when null itself was written. */
export interface KvVersion {
  readonly createdMs: number;
  /** When it was deleted, or will be by `delete_version_after`; undefined when never. */
  readonly deletedMs: number | undefined;
  readonly destroyed: boolean;
  readonly data: JsonObject | null;
}

/** The settings that a mount and each of its secrets have; 0 means not set. */
export interface KvSettings {
  readonly maxVersions: number;
  readonly casRequired: boolean;
  readonly deleteVersionAfterMs: number;
}

/** A secret with its versions; values are replaced, never changed in place. */
export interface KvSecret extends KvSettings {
  readonly createdMs: number;
  readonly updatedMs: number;
  /** 0 while only metadata was written. */
  readonly currentVersion: number;
  /** 0 until a version was pruned. */
  readonly oldestVersion: number;
  readonly metadataVersion: number;
  readonly customMetadata: JsonObject | null;
  readonly versions: ReadonlyMap<number, KvVersion>;
}

/** A KV version 2 mount: its path without slashes at the ends, its settings, its secrets. */
export interface KvMount {
  readonly path: string;
  settings: KvSettings;
  readonly secrets: Map<string, KvSecret>;
}

/** The default settings of a mount or a secret. */
export const NO_KV_SETTINGS: KvSettings = {
  maxVersions: 0,
  casRequired: false,
  deleteVersionAfterMs: 0,
};

/** OpenBao keeps this many versions when neither the mount nor the secret says otherwise. */
const DEFAULT_MAX_VERSIONS = 10;

/** A secret without a version. */
export function newSecret(now: number): KvSecret {
  return {
    ...NO_KV_SETTINGS,
    createdMs: now,
    updatedMs: now,
    currentVersion: 0,
    oldestVersion: 0,
    metadataVersion: 0,
    customMetadata: null,
    versions: new Map(),
  };
}

/** The secret with one more version, and the oldest pruned (builtin/logical/kv, AddVersion). */
export function addVersion(
  secret: KvSecret,
  data: JsonObject | null,
  mount: KvSettings,
  now: number,
): KvSecret {
  const currentVersion = secret.currentVersion + 1;
  const lifeMs = lifetimeMs(secret, mount);
  const deletedMs = lifeMs === 0 ? undefined : now + lifeMs;
  const added: KvVersion = { createdMs: now, deletedMs, destroyed: false, data };
  const kept = Math.max(secret.maxVersions, mount.maxVersions) || DEFAULT_MAX_VERSIONS;
  const full = currentVersion - secret.oldestVersion >= kept;
  const oldestVersion = full ? currentVersion - kept + 1 : secret.oldestVersion;
  const versions = [...secret.versions, [currentVersion, added] as const];
  return {
    ...secret,
    createdMs: secret.currentVersion === 0 ? now : secret.createdMs,
    updatedMs: now,
    currentVersion,
    oldestVersion,
    versions: new Map(versions.filter(([number]) => number >= oldestVersion)),
  };
}

/** The shorter of the two lifetimes that are set; 0 when none is. */
function lifetimeMs(secret: KvSettings, mount: KvSettings): number {
  const set = [secret.deleteVersionAfterMs, mount.deleteVersionAfterMs].filter((ms) => ms > 0);
  return set.length === 0 ? 0 : Math.min(...set);
}

/** True when the version cannot be read at `now`: destroyed, or deleted by then. */
export function isGone(version: KvVersion, now: number): boolean {
  return version.destroyed || (version.deletedMs !== undefined && version.deletedMs <= now);
}

/** The secret with each of `numbers` that it has replaced by `change` of it. */
export function changeVersions(
  secret: KvSecret,
  numbers: readonly number[],
  change: (version: KvVersion) => KvVersion,
): KvSecret {
  const changed = [...secret.versions].map(
    ([number, version]) => [number, numbers.includes(number) ? change(version) : version] as const,
  );
  return { ...secret, versions: new Map(changed) };
}
