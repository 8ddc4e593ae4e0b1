import { type Log, pause } from "@svc/logging";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import { type KeyPem, revealKey } from "./key-pem.ts";

/** The certificate of a replica: PEM, with its chain. */
export interface ServedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Takes a certificate into service; may throw if it cannot, and is asked again then. */
export type TakeCertificate = (certificate: ServedCertificate) => void;

/** A certificate that goes with its key. */
export interface FoundCertificate {
  readonly id: string;
  readonly certificatePem: string;
  readonly key: KeyPem;
  /** In milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** The place in which a replica finds its certificate. */
export interface CertificatePlace {
  /** For messages: `secret "svc-operator-tls"`. */
  readonly name: string;
  /** The certificate, or why there is none to be served. May throw. */
  readonly find: () => Promise<FoundCertificate | string>;
}

/** How a replica follows a place. */
export interface FollowerOptions {
  /** Gets the first certificate and each later one. */
  readonly onCertificate: TakeCertificate;
  readonly log: Log;
  readonly metrics: Pick<CertificateMetrics, "served">;
  /** How often it looks, in milliseconds; by default 10 s. */
  readonly pollMs?: number;
}

const POLL_MS = 10_000;
/** While nothing is served. */
const FIRST_MS = 500;

/**
 * Serves the certificate of a place until the signal is aborted. It never serves an unusable one:
 * then it keeps the old one, or waits. Never rejects.
 */
export async function followCertificate(
  place: CertificatePlace,
  options: FollowerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { pollMs = POLL_MS, log } = options;
  const trouble = unrepeatedLog(log);
  let servedId: string | undefined;
  while (!signal.aborted) {
    const found = await look(place, options, servedId);
    if (typeof found === "object") {
      servedId = found.id;
      trouble.over();
    } else {
      const now = servedId === undefined ? "none is served" : "the last one is served on";
      trouble.say("warn", `serve the certificate of ${place.name}: ${found}; ${now}`);
    }
    await pause(servedId === undefined ? Math.min(pollMs, FIRST_MS) : pollMs, signal);
  }
}

/** The present certificate, or the reason why there is no new one. */
async function look(
  { find }: CertificatePlace,
  { onCertificate, log, metrics }: FollowerOptions,
  servedId: string | undefined,
): Promise<{ readonly id: string } | string> {
  try {
    const found = await find();
    if (typeof found === "string") return found;
    const { id, certificatePem, key, expiresMs } = found;
    if (expiresMs <= Date.now()) return "it has expired";
    if (id === servedId) return { id };
    onCertificate({ certificatePem, keyPem: revealKey(key) });
    metrics.served(expiresMs);
    const expires = new Date(expiresMs).toISOString();
    log("info", "a certificate is served", { certificate: id, expires });
    return { id };
  } catch (error) {
    return error instanceof Error ? error.message : "it failed";
  }
}
