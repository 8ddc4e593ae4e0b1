import { hmacSha256 } from "@svc/secret-bytes";
import { hasMetadataPath, type ReadOutcome, type SecretData } from "@svc/vault";
import type { WatchedPath } from "../messages/courier-job.ts";
import type { LeaseLife, SecretsState } from "../messages/courier-message.ts";
import { engineOf } from "../settings/engine-traits.ts";
import type { SecretSource } from "../settings.ts";
import type { SecretEntry } from "./delivery.ts";

/** Fetched secrets and their sources. */
export interface Resolution {
  readonly sources: readonly SecretSource[];
  readonly outcomes: readonly ReadOutcome[];
  readonly entries: readonly SecretEntry[];
}

/** The supervisor's facts about secrets, to keep them fresh. Pure. */
export function secretsState(resolution: Resolution, digestKey: Uint8Array): SecretsState {
  const { sources, outcomes, entries } = resolution;
  const changing = new Set(
    sources.filter((source) => !engineOf(source).canBeReread).map(({ path }) => path),
  );
  return {
    watched: watchedPaths(sources, outcomes),
    leases: leasesOf(outcomes),
    digest: digestOf(
      entries.filter(({ path }) => !changing.has(path)),
      digestKey,
    ),
  };
}

/**
 * HMAC-SHA256 over the variables and values in the order of the names, each with its length, as
 * hexadecimal digits. The length of a variable is in UTF-16 units, that of a value in bytes. It is
 * compared with digests of the same wrapper only, so that a later one may define it again.
 */
export function digestOf(entries: readonly SecretEntry[], key: Uint8Array): string {
  const sorted = [...entries].sort((a, b) => (a.variable < b.variable ? -1 : 1));
  const parts = sorted.flatMap(({ variable, value }) => [
    `${variable.length}:${variable}${value.length}:`,
    value,
  ]);
  return hmacSha256(key, parts);
}

/** A look at a dynamic secret would make one more. A pinned version can be deleted. */
function watchedPaths(sources: readonly SecretSource[], outcomes: readonly ReadOutcome[]) {
  const watched = new Map(
    sources.flatMap((source, index) => {
      if (!engineOf(source).canBeReread) return [];
      const outcome = outcomes[index];
      const found = outcome?.ok === true ? outcome.secret : undefined;
      return [[`${source.path}#${source.version ?? ""}`, watchedPath(source, found)] as const];
    }),
  );
  return [...watched.values()];
}

/**
 * Engines without versions have no metadata either; and of some paths its place is not known.
 */
function watchedPath(source: SecretSource, secret: SecretData | undefined): WatchedPath {
  const { path } = source;
  const { version, createdTime } = secret ?? {};
  if (version === undefined || createdTime === undefined) return { path, by: "values" };
  const by = hasMetadataPath(path) ? "metadata" : "values";
  const pinned = source.version === undefined ? {} : ({ pinned: true } as const);
  return { path, version, createdTime, ...pinned, by };
}

function leasesOf(outcomes: readonly ReadOutcome[]): readonly LeaseLife[] {
  const leases = new Map(
    outcomes.flatMap((outcome) => {
      if (!outcome.ok || outcome.secret.lease === undefined) return [];
      const { path, lease } = outcome.secret;
      const { id, durationMs, renewable } = lease;
      return [[id, { id, path, durationMs, ttlMs: durationMs, renewable }] as const];
    }),
  );
  return [...leases.values()];
}
