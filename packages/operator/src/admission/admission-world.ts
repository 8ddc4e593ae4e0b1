import type { ImageAnswer } from "../inject/find-program.ts";
import type { OperatorSettings } from "../inject/operator-settings.ts";
import type { Pod } from "../pod/pod.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";

/** For whom images are looked up: the pod's pull secrets and nodes decide about the answer. */
export interface ImageAsker {
  readonly namespace: string;
  readonly pod: Pod;
  /** Aborted when an answer must be there; what is known by then should be given. */
  readonly signal: AbortSignal;
}

/** Finds what images start. An image without an entry counts as one that could not be read. */
export type AskImages = (
  images: readonly string[],
  asker: ImageAsker,
) => Promise<ReadonlyMap<string, ImageAnswer>>;

/** For whom the SvcConfigs of a namespace are asked for. */
export interface ConfigAsker {
  /** The one that the pod names: it may be younger than what is remembered. */
  readonly named: string | undefined;
  /** Aborted when an answer must be there. */
  readonly signal: AbortSignal;
}

/** The operator was told of a cluster's default, and it is not there. */
export interface AbsentConfig {
  /** NAMESPACE/NAME. */
  readonly absent: string;
}

/** One of a namespace's SvcConfigs is none, although the API server has taken it: its definition is another. */
export interface UnreadableConfig {
  /** NAMESPACE/NAME. */
  readonly unreadable: string;
  readonly problems: readonly string[];
}

/** All that has to be known to judge pods. */
export interface AdmissionWorld {
  readonly operator: OperatorSettings;
  /** Every SvcConfig of a namespace, or one that cannot be read: it might be the one that forbids what is asked for. */
  readonly configsOf: (
    namespace: string,
    asker: ConfigAsker,
  ) => Promise<readonly SvcConfig[] | UnreadableConfig>;
  /** For pods of namespaces that have none; undefined where the operator has none either. */
  readonly clusterDefault: () => SvcConfig | AbsentConfig | UnreadableConfig | undefined;
  readonly imagesOf: AskImages;
}
