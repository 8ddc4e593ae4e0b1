import type { InitialisationWish } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { KeyEncryption } from "../encryption/key-encryption.ts";
import { awaitStanding, type SeenStore, type Waiting } from "../nodes/await-standing.ts";
import type { ObtainedKeys } from "../secret/key-work.ts";
import { obtainKeys } from "../secret/obtain-keys.ts";
import type { SecretDoor } from "../secret/secret-object.ts";
import type { BootstrapSettings } from "../settings.ts";
import { initialiseStore } from "../store/initialise-store.ts";
import type { InitTools } from "./init-tools.ts";

const INTERVAL_MS = 1000;

/**
 * Gives the keys of the store behind the pods, as `obtainKeys`. A run that holds the Secret is waited for: it
 * stores the keys, or its reservation ends.
 */
export async function obtainStoreKeys(
  settings: BootstrapSettings,
  { hold, holder, encryption }: InitTools & { readonly encryption: KeyEncryption },
  { door, waiting }: { readonly door: SecretDoor; readonly waiting: Waiting },
): Promise<ObtainedKeys> {
  const { shamir } = settings;
  let seen: SeenStore | undefined;
  const standing = async () => {
    seen = await awaitStanding(waiting);
    return seen.standing;
  };
  using held = new DisposableStack();
  const initialise = (wish: InitialisationWish) => {
    const [first] = seen?.nodes ?? [];
    if (first === undefined) throw new TypeError("initialise: no pod was seen");
    held.use(hold());
    return initialiseStore(first.admin, wish);
  };
  const work = { door, shamir, encryption, holder, standing, initialise };
  return untilFree(waiting, () => obtainKeys(work));
}

async function untilFree<T>({ progress, until }: Waiting, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const reserved = error instanceof BootstrapError && error.code === "OUTPUT_RESERVED";
      if (!reserved || performance.now() >= until) throw error;
      progress.waiting(error.message);
    }
    await Bun.sleep(INTERVAL_MS);
  }
}
