import { waitFor, writeSecret } from "@svc/testing";
import type { OpenStore } from "./open-store.ts";

/** A busy machine answers the heartbeats of Raft late, and the nodes choose another leader. */
const DEADLINE_MS = 20_000;

/** Writes a secret as soon as the store has a leader. */
export async function writeWhenLed(
  store: OpenStore,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  let found = "";
  const writes = async () => {
    try {
      await writeSecret(store, path, fields);
      return true;
    } catch (error) {
      found = error instanceof Error ? error.message : String(error);
      return false;
    }
  };
  await waitFor(writes, { deadlineMs: DEADLINE_MS, what: `a write to ${path}` }).catch((error) => {
    throw new TypeError(`${String(error)}: ${found}`);
  });
}
