import type { SecretEngine } from "@svc/settings";
import type { ReadOutcome, Secret, SecretRef, VaultClient } from "@svc/vault";
import type { SecretSource } from "../settings.ts";

/** Reads every secret at once; one outcome for each source, in their order. */
export async function readSources(
  client: VaultClient,
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

function refOf({ path, version, engine }: SecretSource): SecretRef {
  const kind: SecretEngine = engine ?? "kv";
  switch (kind) {
    case "kv":
      return version === undefined ? { path } : { path, version };
    case "dynamic":
      return { path };
  }
}

function keyOf({ path, version }: SecretSource): string {
  return `${path}#${version ?? ""}`;
}
