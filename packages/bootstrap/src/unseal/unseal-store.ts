import type { VaultTls } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { awaitStanding } from "../nodes/await-standing.ts";
import { openNodes } from "../nodes/open-nodes.ts";
import { requireAll } from "../nodes/require-all.ts";
import { sharesAtHand } from "../nodes/shares-at-hand.ts";
import { storeNodes, whyNoNodes } from "../nodes/store-nodes.ts";
import { keysIn } from "../secret/keys-in.ts";
import { useStoredKeys } from "../secret/next-step.ts";
import { plainOfStored } from "../secret/plain-keys.ts";
import type { UnsealSettings } from "../settings.ts";
import type { InitTools } from "../tools/init-tools.ts";

/**
 * Unseals every pod of an initialised store with the shares of the output Secret; pods with new
 * disks join first.
 *
 * @throws BootstrapError `SHARES_ENCRYPTED`, `PODS_NOT_READY`, `PODS_LEFT`, and others
 * @throws VaultError
 */
export async function unsealStore(
  { store, outputSecret: name, waitMs }: UnsealSettings,
  tls: VaultTls,
  { cluster, administer, progress }: Pick<InitTools, "cluster" | "administer" | "progress">,
): Promise<void> {
  const secret = cluster.secret({ namespace: store.namespace, name });
  const stored = await keysIn(secret);
  const shares = sharesAtHand(secret.name, stored, plainOfStored(stored));
  const look = storeNodes(cluster, store, administer);
  const until = performance.now() + waitMs;
  const waiting = { look, whyNone: whyNoNodes(cluster, store), progress, store, until };
  const next = useStoredKeys(stored, (await awaitStanding(waiting)).standing);
  if (next.step === "stop") {
    throw new BootstrapError(next.code, `use ${secret.name}: ${next.found}`);
  }
  requireAll(await openNodes({ ...waiting, shares, caPem: tls.ca?.join("\n") }));
}
