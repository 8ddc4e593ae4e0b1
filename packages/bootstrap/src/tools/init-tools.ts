import type { Secret } from "@svc/vault";
import type { KubernetesCluster } from "../kubernetes/connect-kubernetes.ts";
import type { Administer } from "../nodes/store-nodes.ts";
import type { Progress } from "../progress.ts";

/** The connections of a run of `svc secretstore init`. */
export interface InitTools {
  readonly cluster: KubernetesCluster;
  readonly administer: Administer;
  readonly progress: Progress;
  /** Names this run and no other, for example its host and a random number. */
  readonly holder: string;
  /** Sets the store up in place of the Secret's root token. */
  readonly token?: Secret | undefined;
  /**
   * Defers signals until the returned object is disposed of. Called before the store is
   * initialised: from then on the only keys are in this process, so no avoidable event may end it.
   */
  readonly deferSignals: () => Disposable;
}
