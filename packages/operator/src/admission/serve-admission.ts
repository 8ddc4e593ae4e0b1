import type { AdmissionContext } from "./admission-context.ts";
import { type AdmissionEndpoint, admissionEndpoint } from "./admission-endpoint.ts";
import { type AdmissionLimits, admissionLimits } from "./admission-limits.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { OperatorMetrics } from "./operator-metrics.ts";

/** A certificate with its chain, and its private key; both PEM. */
export interface ServerCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** The inputs of an admission server. */
export interface AdmissionServerOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly certificate: ServerCertificate;
  readonly context: AdmissionContext;
  readonly metrics: OperatorMetrics;
  /** Gets one record for each pod. */
  readonly log: (record: DecisionRecord) => void;
  /** Why it is not ready; undefined if it is. */
  readonly notReady: () => string | undefined;
  /** Why API servers would refuse it; undefined if they would not, or nothing watches that. */
  readonly refused?: () => string | undefined;
  readonly limits?: Partial<AdmissionLimits>;
}

/** How a server ends. */
export interface StopOptions {
  /**
   * How long it still takes new connections while /readyz says that it stops: clients learn of it
   * late.
   */
  readonly lingerMs: number;
  /** The time limit for running requests. */
  readonly graceMs: number;
}

/** A server of admissions. */
export interface AdmissionServer {
  readonly port: number;
  /**
   * Serves new connections with another certificate; throws the runtime's error for an invalid one,
   * and keeps the old one then. Connections that are open end with their next answer.
   */
  readonly replaceCertificate: (certificate: ServerCertificate) => void;
  /** Ends the server; a second call waits for the first. */
  readonly stop: (options: StopOptions) => Promise<void>;
}

/**
 * Serves admissions by HTTPS: POST /mutate-v1-pod, and GET /healthz, /readyz, /metrics.
 * @throws the runtime's error if the port is taken or the certificate is invalid.
 */
export function serveAdmission(options: AdmissionServerOptions): AdmissionServer {
  const limits = { ...admissionLimits, ...options.limits };
  const endpoint = admissionEndpoint({ ...options, limits });
  let current = listen(options, { endpoint, limits, port: options.port });
  const port = current.port;
  let stopping: Promise<void> | undefined;
  const old = new Set<Listener>();
  const replaceCertificate = (certificate: ServerCertificate): void => {
    if (stopping !== undefined) return;
    // The new one listens before the old one goes: in no moment is the port closed.
    const next = listen({ ...options, certificate }, { endpoint, limits, port });
    const before = current;
    current = next;
    old.add(before);
    before.retire();
    setTimeout(() => {
      old.delete(before);
      void before.end();
    }, limits.retireMs).unref();
  };
  const stop = ({ lingerMs, graceMs }: StopOptions): Promise<void> => {
    stopping ??= drain([current, ...old], endpoint, { lingerMs, graceMs });
    return stopping;
  };
  return { port, replaceCertificate, stop };
}

interface Listener {
  readonly port: number;
  /** From now on each answer is the last one of its connection. */
  readonly retire: () => void;
  /** Takes no more connections and closes those that nothing runs on. */
  readonly end: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

interface Listening {
  readonly endpoint: AdmissionEndpoint;
  readonly limits: AdmissionLimits;
  readonly port: number;
}

function listen(
  { hostname, certificate }: AdmissionServerOptions,
  { endpoint, limits, port }: Listening,
): Listener {
  let isLast = false;
  const server = Bun.serve({
    hostname,
    port,
    // Not development: its pages show sources. It also lets the next listener share the port.
    development: false,
    // Go's clients keep idle connections for 90 seconds: the server must not close first.
    idleTimeout: 120,
    // The endpoint's own limit is half of it and answers in words; this one is for bodies that do
    // not say their length.
    maxRequestBodySize: 2 * limits.bodyBytes,
    tls: { cert: certificate.certificatePem, key: certificate.keyPem },
    fetch: async (request) => {
      const response = await endpoint.answer(request);
      if (isLast || endpoint.isStopping()) response.headers.set("Connection", "close");
      return response;
    },
    error: () => endpoint.unexpected(),
  });
  return {
    port: server.port ?? port,
    retire: () => {
      isLast = true;
    },
    end: () => server.stop(false),
    kill: () => server.stop(true),
  };
}

/**
 * Announces the stop, continues for a while, closes idle connections, waits for running requests,
 * and closes the rest.
 */
async function drain(
  listeners: readonly Listener[],
  endpoint: AdmissionEndpoint,
  { lingerMs, graceMs }: StopOptions,
): Promise<void> {
  endpoint.beginStopping();
  await Bun.sleep(lingerMs);
  const ended = Promise.all(listeners.map((listener) => listener.end()));
  const grace = Promise.withResolvers<void>();
  const timer = setTimeout(grace.resolve, graceMs);
  await Promise.race([ended, grace.promise]);
  clearTimeout(timer);
  await Promise.all(listeners.map((listener) => listener.kill()));
}
