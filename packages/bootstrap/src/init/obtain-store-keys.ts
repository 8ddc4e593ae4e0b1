import type { InitialisationRequest } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StorePod } from "../kubernetes/choose-pods.ts";
import { awaitStanding, type SeenStore, type Waiting } from "../nodes/await-standing.ts";
import { type ResetTools, resetStore } from "../reset/reset-store.ts";
import type { KeyEncryption } from "../secret/key-encryption.ts";
import type { KeyWork, ObtainedKeys } from "../secret/key-work.ts";
import { RESET_AFTER_MS } from "../secret/next-step.ts";
import { obtainKeys } from "../secret/obtain-keys.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import type { PodMark } from "../secret/secret-phase.ts";
import type { BootstrapSettings } from "../settings.ts";
import { initialiseStore } from "../store/initialise-store.ts";
import type { InitTools } from "../tools/init-tools.ts";

const INTERVAL_MS = 1000;

/**
 * Gives the keys of the store behind the pods, as `obtainKeys`. A run that holds the Secret is
 * waited for: it stores the keys, or its reservation ends.
 */
export async function obtainStoreKeys(
  settings: BootstrapSettings,
  { cluster, deferSignals, holder, encryption }: InitTools & { readonly encryption: KeyEncryption },
  { secret, waiting }: { readonly secret: SecretClient; readonly waiting: Waiting },
): Promise<ObtainedKeys> {
  const { shamir } = settings;
  let seen: SeenStore | undefined;
  let { until } = waiting;
  const standing = async () => {
    seen = await awaitStanding({ ...waiting, until });
    return seen.standing;
  };
  const first = () => {
    const [node] = seen?.nodes ?? [];
    if (node === undefined) throw new TypeError("initialise: no pod was seen");
    return node;
  };
  using deferrals = new DisposableStack();
  const initialise = async (wanted: InitialisationRequest) => {
    deferrals.use(deferSignals());
    return initialiseStore(first().admin, wanted);
  };
  const pod = () => markOf(first().pod);
  const tools = resetToolsOf(settings, { cluster, holder, secret, waiting });
  const reset: KeyWork["reset"] = async (lost, object) => {
    // The new pod takes its time, too.
    if (await resetStore(lost, object, tools)) until = performance.now() + settings.waitMs;
  };
  const { resetUnfinished } = settings;
  const asked = resetUnfinished ? { reset } : {};
  const work = { secret, shamir, encryption, holder, standing, pod, initialise, ...asked };
  const patience = resetUnfinished ? RESET_AFTER_MS : 0;
  // With `await`, so that the signals are deferred until the keys are stored.
  return await untilFree({ ...waiting, until: until + patience }, () => obtainKeys(work));
}

function resetToolsOf(
  { store, dataClaim, settleMs }: BootstrapSettings,
  {
    cluster,
    holder,
    secret,
    waiting,
  }: Pick<ResetTools, "cluster" | "holder" | "secret"> & {
    readonly waiting: Waiting;
  },
): ResetTools {
  const { namespace } = store;
  const { look, progress } = waiting;
  return { cluster, look, namespace, dataClaim, secret, progress, holder, settleMs };
}

function markOf({ name, uid, containers }: StorePod): PodMark {
  return { name, uid, containers };
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
