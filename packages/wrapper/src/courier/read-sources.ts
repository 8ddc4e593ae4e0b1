import type { ReadOutcome, Secret, VaultClient } from "@svc/vault";
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
  return new Map(
    sources.map(({ path, version }) => [
      keyOf({ path, version }),
      version === undefined ? { path } : { path, version },
    ]),
  );
}

function keyOf({ path, version }: { path: string; version?: number | undefined }): string {
  return `${path}#${version ?? ""}`;
}
