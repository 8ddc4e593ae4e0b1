import type { ImageAnswer } from "../inject/find-program.ts";
import type { OperatorSettings } from "../inject/operator-settings.ts";
import type { Pod } from "../pod/pod.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";

/** The pod that an image lookup is for: its pull secrets and nodes decide about the answer. */
export interface ImageAsker {
  readonly namespace: string;
  readonly pod: Pod;
  /** Aborted when an answer must be there; return the known results by then. */
  readonly signal: AbortSignal;
}

/** Finds the commands of images. An image without an entry counts as one that could not be read. */
export type AskImages = (
  images: readonly string[],
  asker: ImageAsker,
) => Promise<ReadonlyMap<string, ImageAnswer>>;

/** The pod that needs the SvcConfigs of a namespace. */
export interface ConfigAsker {
  /** The one that the pod names: it may be younger than the remembered one. */
  readonly named: string | undefined;
  /** Aborted when an answer must be there. */
  readonly signal: AbortSignal;
}

/** A SvcConfig that cannot be read: it might forbid the pod's settings. */
export interface UnreadableConfig {
  readonly namespace: string;
  readonly name: string;
  readonly problems: readonly string[];
}

/** The flags name a default of the cluster, and it is not there. */
export interface AbsentConfig {
  /** NAMESPACE/NAME. */
  readonly absent: string;
}

/** All that has to be known to judge pods. */
export interface AdmissionContext {
  readonly operator: OperatorSettings;
  /** Every SvcConfig of a namespace. */
  readonly configsOf: (
    namespace: string,
    asker: ConfigAsker,
  ) => Promise<readonly (SvcConfig | UnreadableConfig)[]>;
  /** The default for pods of namespaces without one; undefined if the operator has no default. */
  readonly clusterDefault: () => SvcConfig | AbsentConfig | UnreadableConfig | undefined;
  readonly imagesOf: AskImages;
}
