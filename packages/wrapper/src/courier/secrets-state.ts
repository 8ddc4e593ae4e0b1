import { hmacSha256 } from "@svc/secret-bytes";
import { hasMetadataPath } from "@svc/vault";
import type { WatchedPath } from "../messages/courier-job.ts";
import type { LeaseLife, SecretsState } from "../messages/courier-message.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import { engineOf } from "../settings/engine-traits.ts";
import type { SecretSource } from "../settings.ts";
import type { SecretEntry } from "./delivery.ts";
import type { ReadSecret, SourceOutcome } from "./source-outcome.ts";

/** Fetched secrets and their sources. */
export interface Resolution {
  readonly sources: readonly SecretSource[];
  readonly outcomes: readonly SourceOutcome[];
  readonly entries: readonly SecretEntry[];
  /** None by default. */
  readonly files?: readonly FileEntry[];
}

/** The supervisor's facts about secrets, to keep them fresh. Pure. */
export function secretsState(resolution: Resolution, digestKey: Uint8Array): SecretsState {
  const { sources, outcomes, entries, files = [] } = resolution;
  const all = [...entries, ...files.map(asEntry)];
  const changing = new Set(
    sources.filter((source) => !engineOf(source).canBeReread).map(({ path }) => path),
  );
  return {
    watched: watchedPaths(sources, outcomes, digestKey),
    leases: leasesOf(outcomes),
    digest: digestOf(
      all.filter(({ path }) => !changing.has(path)),
      digestKey,
    ),
  };
}

/** No variable has a NUL in its name. */
function asEntry({ file, value, path }: FileEntry): SecretEntry {
  return { variable: `\0${file.path}`, value, path };
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
function watchedPaths(
  sources: readonly SecretSource[],
  outcomes: readonly SourceOutcome[],
  digestKey: Uint8Array,
) {
  const watched = new Map(
    sources.flatMap((source, index) => {
      if (!engineOf(source).canBeReread) return [];
      const outcome = outcomes[index];
      const found = outcome?.ok === true ? outcome.secret : undefined;
      const watched = engineOf(source).isInVault
        ? watchedPath(source, found)
        : watchedFile(source, found, digestKey);
      return [[`${source.path}#${source.version ?? ""}`, watched] as const];
    }),
  );
  return [...watched.values()];
}

/** A file has no version: its fields are compared by their digest. */
function watchedFile(
  { path }: SecretSource,
  secret: ReadSecret | undefined,
  digestKey: Uint8Array,
): WatchedPath {
  if (secret === undefined) return { path, by: "file" };
  return { path, by: "file", digest: fileDigest(secret, digestKey) };
}

/**
 * HMAC-SHA256 over the names and values of all fields, mapped or not, in the order of the names; of
 * a JSON object over its text.
 */
export function fileDigest({ path, fields, whole }: ReadSecret, key: Uint8Array): string {
  const named = whole === undefined ? fields : new Map([[whole.field, whole.value]]);
  const entries = [...named].flatMap(([variable, value]) => {
    return value === null ? [] : [{ variable, value, path }];
  });
  return digestOf(entries, key);
}

/**
 * Engines without versions have no metadata either; and of some paths its place is not known.
 */
function watchedPath(source: SecretSource, secret: ReadSecret | undefined): WatchedPath {
  const { path } = source;
  const { version, createdTime } = secret ?? {};
  if (version === undefined || createdTime === undefined) return { path, by: "values" };
  const by = hasMetadataPath(path) ? "metadata" : "values";
  const pinned = source.version === undefined ? {} : ({ pinned: true } as const);
  return { path, version, createdTime, ...pinned, by };
}

function leasesOf(outcomes: readonly SourceOutcome[]): readonly LeaseLife[] {
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
