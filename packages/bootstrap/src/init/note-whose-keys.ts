import type { VaultAdministration } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepReport } from "../progress.ts";
import { noteCluster } from "../secret/amend-keys.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import type { StoredKeys } from "../secret/secret-phase.ts";

/**
 * Notes in the Secret which cluster its keys have opened. While it was sealed, the store did not
 * say which it is.
 * @throws BootstrapError `OUTPUT_OF_ANOTHER_STORE` if another one is noted
 */
export async function noteWhoseKeys(
  secret: SecretClient,
  { clusterId }: StoredKeys,
  active: VaultAdministration,
): Promise<StepReport> {
  const { clusterId: found } = await active.nodeState();
  if (found === undefined) return { outcome: "skipped" };
  if (clusterId === undefined) return { outcome: await noteCluster(secret, found) };
  if (clusterId === found) return { outcome: "unchanged" };
  const what = `the keys of cluster ${clusterId} are there, and the store is cluster ${found}`;
  throw new BootstrapError("OUTPUT_OF_ANOTHER_STORE", `use ${secret.name}: ${what}`);
}
