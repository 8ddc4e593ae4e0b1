import type { KubernetesApi } from "@svc/kubernetes";
import { aborted, type Log } from "@svc/logging";
import type { OperatorMetrics } from "../admission/operator-metrics.ts";
import type { OperatorProcess, PermitSettings } from "../flags/operator-process.ts";
import type { PermitPlace } from "../inject/operator-settings.ts";
import { podEvictor } from "../rotation/evict-pod.ts";
import { podIdentifier } from "../rotation/identify-pod.ts";
import { permitCertificate } from "../rotation/permit-certificate.ts";
import { permitDesk } from "../rotation/permit-desk.ts";
import { permitEndpoint } from "../rotation/permit-endpoint.ts";
import { type PermitStore, permitStore } from "../rotation/permit-store.ts";
import { type WorkloadReader, workloadReader } from "../rotation/read-workload.ts";
import { permitServer } from "../rotation/serve-permits.ts";
import { stoppedEvents } from "../rotation/stopped-events.ts";
import { sweepPermits } from "../rotation/sweep-permits.ts";

/** The permits of the operator. */
export interface Permits {
  /** The server that wrappers ask; undefined if they need not, or before the first certificate. */
  readonly place: () => PermitPlace | undefined;
  /** Why the webhook has to wait; undefined if it has not. */
  readonly notReady: () => string | undefined;
  /** Called by every replica: serves until the signal is aborted. */
  readonly serve: (signal: AbortSignal) => Promise<void>;
  /** Called by the leader, until the signal is aborted. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/** The inputs of permits. */
export interface PermitParts {
  readonly api: KubernetesApi;
  readonly metrics: Pick<OperatorMetrics, "permitAnswered">;
  readonly log: Log;
  /** The identity of this process and no other. */
  readonly identity: string;
}

/**
 * An earlier chart grants no right to the certificate. Pods are injected all the same then, and
 * rotate without permits, as the log says.
 */
const PATIENCE_MS = 20_000;

const none: Permits = {
  place: () => undefined,
  notReady: () => undefined,
  serve: aborted,
  lead: aborted,
};

/** Makes the permits that the flags ask for. */
export function openPermits(
  { permits, cluster, operator }: Pick<OperatorProcess, "permits" | "cluster" | "operator">,
  parts: PermitParts,
): Permits {
  if (permits === undefined) return none;
  const { api, log } = parts;
  const { namespace } = cluster;
  const { secret: name, hostname, port, name: host } = permits;
  const certificate = permitCertificate({
    ...{ api, log, names: [host] },
    secret: { namespace, name },
  });
  const reader = workloadReader(api, operator.prefix);
  const store = permitStore(api, namespace);
  const answer = answers(parts, { reader, store });
  const server = permitServer({ hostname, port, answer });
  const patientUntilMs = performance.now() + PATIENCE_MS;
  return {
    place: () => placeOf(permits, server.authorityPem()),
    notReady: () =>
      server.authorityPem() === undefined && performance.now() < patientUntilMs
        ? "the certificate for rotation permits was not made yet"
        : undefined,
    serve: async (signal) => {
      const serve = (generation: Parameters<typeof server.serve>[0]) => {
        server.serve(generation);
        log("info", "permits are served", { port: server.port() });
      };
      await Promise.all([certificate.keep(signal), certificate.follow(serve, signal)]);
      await server.stop();
    },
    lead: (signal) => sweepPermits({ reader, store, log }, signal),
  };
}

function answers(
  { api, metrics, log, identity }: PermitParts,
  { reader, store }: { readonly reader: WorkloadReader; readonly store: PermitStore },
): (request: Request) => Promise<Response> {
  const desk = permitDesk({
    reader,
    store,
    evict: podEvictor(api),
    events: stoppedEvents(api, identity, log),
    log,
  });
  const identify = podIdentifier(api);
  return permitEndpoint({ identify, desk, log, count: metrics.permitAnswered });
}

function placeOf(
  { name, port }: PermitSettings,
  authorityPem: string | undefined,
): PermitPlace | undefined {
  return authorityPem === undefined
    ? undefined
    : { address: `https://${name}:${port}`, authorityPem };
}
