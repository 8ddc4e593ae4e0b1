import type { ReadOutcome, Secret, SecretRef, VaultClient } from "@svc/vault";
import { engineOf } from "../settings/engine-traits.ts";
import type { SecretSource } from "../settings.ts";
import type { SourceOutcome } from "./source-outcome.ts";

type ReadAll<Outcome> = (sources: readonly SecretSource[]) => Promise<readonly Outcome[]>;

/** How the secrets of each place are read: one outcome for each source, in their order. */
export interface Places {
  readonly vault: ReadAll<ReadOutcome>;
  readonly files: ReadAll<SourceOutcome>;
}

/** Reads from both places at once, and only from one that has a secret. */
export async function readPlaces(
  sources: readonly SecretSource[],
  { vault, files }: Places,
): Promise<readonly SourceOutcome[]> {
  const inVault = sources.filter((source) => engineOf(source).isInVault);
  const inFiles = sources.filter((source) => !engineOf(source).isInVault);
  const [ofVault, ofFiles] = await Promise.all([
    inVault.length === 0 ? [] : vault(inVault),
    inFiles.length === 0 ? [] : files(inFiles),
  ]);
  const left = [ofFiles.values(), ofVault.values()] as const;
  return sources.flatMap((source) => {
    return left[engineOf(source).isInVault ? 1 : 0].next().value ?? [];
  });
}

/** Reads every secret of a vault at once; one outcome for each source, in their order. */
export async function readSources(
  client: Pick<VaultClient, "readSecrets">,
  token: Secret,
  sources: readonly SecretSource[],
): Promise<readonly ReadOutcome[]> {
  const refs = distinct(sources);
  const outcomes = await client.readSecrets(token, [...refs.values()]);
  const byKey = new Map([...refs.keys()].map((key, index) => [key, outcomes[index]]));
  return sources.flatMap((source) => byKey.get(keyOf(source)) ?? []);
}

/** A path that is named twice is read once. */
function distinct(sources: readonly SecretSource[]) {
  return new Map(sources.map((source) => [keyOf(source), refOf(source)]));
}

function refOf({ path, version }: SecretSource): SecretRef {
  return version === undefined ? { path } : { path, version };
}

function keyOf({ path, version }: SecretSource): string {
  return `${path}#${version ?? ""}`;
}
