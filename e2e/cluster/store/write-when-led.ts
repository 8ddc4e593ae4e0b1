import { waitFor, writeSecret } from "@svc/testing";
import type { OpenStore } from "./open-store.ts";
import { STORE, wholeName } from "./store-objects.ts";

/** A busy machine answers the heartbeats of Raft late, and the nodes choose another leader. */
const DEADLINE_MS = 20_000;

/**
 * Writes a secret as soon as the store has a leader. A node that cannot forward a request to the
 * leader redirects it to a name that this process does not know: so each node is asked by itself.
 */
export async function writeWhenLed(
  store: OpenStore,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const addresses = [store.address, ...STORE.pods.map((pod) => `https://${wholeName(pod)}:8200`)];
  let found = "";
  const writes = async () => {
    for (const address of addresses) {
      try {
        await writeSecret({ ...store, address }, path, fields);
        return true;
      } catch (error) {
        found = error instanceof Error ? error.message : String(error);
      }
    }
    return false;
  };
  await waitFor(writes, { deadlineMs: DEADLINE_MS, what: `a write to ${path}` }).catch((error) => {
    throw new TypeError(`${String(error)}: ${found}`);
  });
}
