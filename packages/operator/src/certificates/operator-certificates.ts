import { giveMemoryBack } from "@svc/kernel";
import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import { certificateStore, type SecretPlace } from "./certificate-store.ts";
import { filePlace } from "./file-place.ts";
import {
  type CertificatePlace,
  followCertificate,
  type TakeCertificate,
} from "./follow-certificate.ts";
import type { Generation } from "./generation.ts";
import { keepCertificates } from "./keep-certificates.ts";
import { makeGeneration } from "./make-generation.ts";
import type { RotationRules } from "./next-step.ts";
import { parseGeneration } from "./parse-generation.ts";
import { publishFile } from "./publish-file.ts";
import { secretPlace } from "./secret-place.ts";
import { type WebhookPlace, webhookTrustClient } from "./webhook-trust.ts";

/** Where the operator's serving certificate comes from. */
export type CertificateSource =
  | {
      readonly kind: "self-made";
      /** The replicas' Secret; made if there is none and the account may. */
      readonly secret: SecretPlace;
      /** DNS names by which the service is called. */
      readonly names: readonly string[];
      /**
       * The life of one certificate, in milliseconds; by default 90 days, and at least ten seconds.
       */
      readonly lifeMs?: number;
      /**
       * For how long API servers know an authority before its certificate is served; by default 5
       * min, less for a short life.
       */
      readonly overlapMs?: number;
    }
  | {
      readonly kind: "files";
      readonly certificatePath: string;
      readonly keyPath: string;
      /**
       * The authorities for the webhooks; undefined if another tool publishes them, as cert-manager
       * does.
       */
      readonly authorityPath?: string;
      /** DNS names that it must be for. */
      readonly names: readonly string[];
    };

/** The tools for the operator's certificates. */
export interface OperatorCertificateOptions {
  readonly api: Pick<KubernetesApi, "ask">;
  readonly source: CertificateSource;
  readonly webhooks: WebhookPlace;
  readonly log: Log;
  readonly metrics: CertificateMetrics;
  /** How often anything is looked at, in milliseconds; by default 10 s. */
  readonly checkMs?: number;
}

/** The two tasks that certificates make; neither rejects. */
export interface OperatorCertificates {
  /**
   * Called by every replica: gives the certificate to serve, and each later one, until the signal
   * is aborted.
   */
  readonly follow: (onCertificate: TakeCertificate, signal: AbortSignal) => Promise<void>;
  /**
   * Called by the leader: makes certificates and writes the webhooks' CA bundles, until the signal
   * is aborted.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/** A certificate says its times in whole seconds. */
const SHORTEST_LIFE_MS = 10_000;
const MINUTE_MS = 60_000;
const LIFE_MS = 90 * 24 * 60 * MINUTE_MS;
const OVERLAP_MS = 5 * MINUTE_MS;
const URGENT_OVERLAP_MS = MINUTE_MS / 2;

/**
 * Makes both tasks of a source.
 * @throws RangeError if a life is shorter than ten seconds
 */
export function operatorCertificates(options: OperatorCertificateOptions): OperatorCertificates {
  const { api, source, log, metrics, checkMs } = options;
  const webhooks = webhookTrustClient(api, options.webhooks);
  const beside = { webhooks, log, metrics, ...(checkMs !== undefined && { checkMs }) };
  const following = (place: CertificatePlace): OperatorCertificates["follow"] => {
    const poll = checkMs === undefined ? {} : { pollMs: checkMs };
    return (onCertificate, signal) =>
      followCertificate(place, { onCertificate, log, metrics, ...poll }, signal);
  };
  switch (source.kind) {
    case "self-made": {
      const store = certificateStore(api, source.secret);
      const rules = rotationRules(source);
      const make = () => generationOf(rules);
      const lead = (signal: AbortSignal) =>
        keepCertificates({ ...beside, store, rules, make }, signal);
      return { follow: following(secretPlace(store)), lead };
    }
    case "files": {
      const { authorityPath: path } = source;
      const lead = async (signal: AbortSignal) => {
        if (path !== undefined) await publishFile({ ...beside, path }, signal);
      };
      return { follow: following(filePlace(source)), lead };
    }
  }
}

function rotationRules(source: CertificateSource & { readonly kind: "self-made" }): RotationRules {
  const { names, lifeMs = LIFE_MS, overlapMs = OVERLAP_MS } = source;
  if (lifeMs < SHORTEST_LIFE_MS) {
    throw new RangeError(
      `life of a certificate: must be ${SHORTEST_LIFE_MS} ms or more: got ${lifeMs}`,
    );
  }
  // All of it has to be over long before the certificate in service ends.
  const least = Math.min(overlapMs, lifeMs / 20);
  return { names, lifeMs, overlapMs: least, urgentOverlapMs: Math.min(URGENT_OVERLAP_MS, least) };
}

async function generationOf({ names, lifeMs }: RotationRules): Promise<Generation> {
  const made = parseGeneration(await makeGeneration({ names, lifeMs, nowMs: Date.now() }));
  // Loading the library takes some megabytes, which are not needed for the next sixty days.
  giveMemoryBack();
  if (!made.ok) throw new TypeError(`make a certificate: ${made.problem}`);
  return made.value;
}
