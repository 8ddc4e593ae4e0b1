import type { KubernetesApi } from "@svc/kubernetes";
import { aborted, type Log } from "@svc/logging";
import { HINT_SUBSCRIPTION_PATH } from "@svc/protocol";
import type { OperatorMetrics } from "../admission/operator-metrics.ts";
import type { OperatorProcess, PermitSettings } from "../flags/operator-process.ts";
import { MOST_SUBSCRIPTION_BYTES } from "../hints/parse-subscription.ts";
import type { PermitPlace } from "../inject/operator-settings.ts";
import { podEvictor } from "../rotation/evict-pod.ts";
import { podIdentifier } from "../rotation/identify-pod.ts";
import { permitCertificate } from "../rotation/permit-certificate.ts";
import { permitDesk } from "../rotation/permit-desk.ts";
import { permitEndpoint } from "../rotation/permit-endpoint.ts";
import { MOST_QUESTION_BYTES } from "../rotation/permit-question.ts";
import { type PermitStore, permitStore } from "../rotation/permit-store.ts";
import { type WorkloadReader, workloadReader } from "../rotation/read-workload.ts";
import { permitServer } from "../rotation/serve-permits.ts";
import { stoppedEvents } from "../rotation/stopped-events.ts";
import { sweepPermits } from "../rotation/sweep-permits.ts";
import { type Hints, openHints } from "./open-hints.ts";

/** The permits of the operator. */
export interface Permits {
  /** The server that wrappers ask; undefined if they need not, or before the first certificate. */
  readonly place: () => PermitPlace | undefined;
  /** Why the webhook has to wait; undefined if it has not. */
  readonly notReady: () => string | undefined;
  /** Undefined if wrappers get none: they subscribe to them at the same server. */
  readonly hints: Hints | undefined;
  /** Called by every replica: serves until the signal is aborted. */
  readonly serve: (signal: AbortSignal) => Promise<void>;
  /** Called by the leader, until the signal is aborted. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/** The inputs of permits. */
export interface PermitParts {
  readonly api: KubernetesApi;
  readonly metrics: Pick<
    OperatorMetrics,
    "permitAnswered" | "hintSubscriptionAnswered" | "hinted" | "looked"
  >;
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
  hints: undefined,
  serve: aborted,
  lead: aborted,
};

/** Makes the permits that the flags ask for. */
export function openPermits(
  process: Pick<OperatorProcess, "permits" | "hints" | "cluster" | "operator">,
  parts: PermitParts,
): Permits {
  const { permits, cluster, operator } = process;
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
  const hints = openHints(process.hints, parts);
  const answer = answers(parts, { reader, store, hints });
  const server = permitServer({
    ...{ hostname, port, answer },
    mostBytes: hints === undefined ? MOST_QUESTION_BYTES : MOST_SUBSCRIPTION_BYTES,
  });
  const patientUntilMs = performance.now() + PATIENCE_MS;
  return {
    hints,
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
      await Promise.all([
        certificate.keep(signal),
        certificate.follow(serve, signal),
        hints?.run(signal),
      ]);
      await server.stop();
    },
    lead: (signal) => sweepPermits({ reader, store, log }, signal),
  };
}

interface AnswerParts {
  readonly reader: WorkloadReader;
  readonly store: PermitStore;
  readonly hints: Hints | undefined;
}

function answers(
  { api, metrics, log, identity }: PermitParts,
  { reader, store, hints }: AnswerParts,
): (request: Request) => Promise<Response> {
  const desk = permitDesk({
    reader,
    store,
    evict: podEvictor(api),
    events: stoppedEvents(api, identity, log),
    log,
  });
  const identify = podIdentifier(api);
  const permits = permitEndpoint({ identify, desk, log, count: metrics.permitAnswered });
  const subscriptions = hints?.endpoint(identify);
  if (subscriptions === undefined) return permits;
  return (request) =>
    new URL(request.url).pathname === HINT_SUBSCRIPTION_PATH
      ? subscriptions(request)
      : permits(request);
}

function placeOf(
  { name, port }: PermitSettings,
  authorityPem: string | undefined,
): PermitPlace | undefined {
  return authorityPem === undefined
    ? undefined
    : { address: `https://${name}:${port}`, authorityPem };
}
