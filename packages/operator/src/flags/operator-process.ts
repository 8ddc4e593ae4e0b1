import type { Values } from "@svc/settings";
import type { HintSettings } from "./hint-flags.ts";
import type { RegistryLoginSettings } from "./image-flags.ts";
import type { Judging } from "./injection-flags.ts";
import type { OperatorFlags } from "./operator-flags.ts";

/** The settings of `svc-operator`. Plain data without a secret. */
export interface OperatorProcess extends Judging {
  readonly serving: Pick<
    Values<OperatorFlags>,
    "inFlight" | "lingerMs" | "graceMs" | "logLevel"
  > & {
    readonly hostname: string;
    readonly port: number;
  };
  readonly logins: RegistryLoginSettings;
  readonly certificate: CertificateSettings;
  /** Undefined if pods need no permit to be rotated. */
  readonly permits: PermitSettings | undefined;
  /** Undefined if wrappers get no version hints. */
  readonly hints: HintSettings | undefined;
  readonly cluster: Pick<
    Values<OperatorFlags>,
    "server" | "kubeconfig" | "context" | "lease" | "imageSecret" | "keepStatus" | "countPods"
  > & {
    readonly namespace: string;
  };
}

/** Where pods ask for permits. */
export interface PermitSettings {
  readonly hostname: string;
  readonly port: number;
  /** The name of the Secret with the server's certificate. */
  readonly secret: string;
  /** The DNS name of the service. */
  readonly name: string;
}

/** Where the serving certificate comes from. */
export type CertificateSettings = {
  /** Service by which the API server reaches the webhook. */
  readonly service: string;
  /** DNS names that it has to be for. */
  readonly names: readonly string[];
  /** The webhook configuration whose CA bundle the operator keeps up to date. */
  readonly configuration: string;
} & (
  | { readonly source: "self-made"; readonly secret: string; readonly lifeMs: number }
  | {
      readonly source: "files";
      readonly certificateFile: string;
      readonly keyFile: string;
      /** Undefined if another tool keeps the webhook configuration's CA bundle. */
      readonly authorityFile: string | undefined;
    }
);
