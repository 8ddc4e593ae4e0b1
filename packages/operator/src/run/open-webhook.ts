import { isLogged, type LineQueue, type Log } from "@svc/logging";
import type { AdmissionContext } from "../admission/admission-context.ts";
import { decisionLevel, decisionLine } from "../admission/decision-line.ts";
import type { DecisionRecord } from "../admission/decision-record.ts";
import type { OperatorMetrics } from "../admission/operator-metrics.ts";
import type { OwnWebhookWatch } from "../certificates/watch-own-webhook.ts";
import type { OperatorProcess } from "../flags/operator-process.ts";
import type { ConfigWatch } from "../svc-config/watch-configs.ts";
import type { BundleChoice } from "./bundle-choice.ts";
import { sweepMemory } from "./memory-sweep.ts";
import type { Permits } from "./open-permits.ts";
import { type TrustWatchParts, watchTrust } from "./watch-trust.ts";
import { type WebhookServer, webhookServer } from "./webhook-server.ts";

/** The inputs of the operator's webhook. */
export interface WebhookParts extends Pick<TrustWatchParts, "api" | "identity"> {
  readonly process: Pick<OperatorProcess, "certificate" | "cluster" | "serving">;
  readonly context: AdmissionContext;
  readonly metrics: OperatorMetrics;
  readonly configs: Pick<ConfigWatch, "isSynced">;
  readonly bundle: Pick<BundleChoice, "isKnown">;
  readonly permits: Pick<Permits, "notReady">;
  /** The lines about pods go there. */
  readonly lines: LineQueue;
  readonly log: Log;
  /** Aborted when the operator ends. */
  readonly ended: AbortSignal;
  readonly onFailure: (error: Error) => void;
}

/** The operator's webhook. */
export interface OpenWebhook extends WebhookServer {
  /** Watches whether API servers accept it, until the signal is aborted. Never rejects. */
  readonly watch: OwnWebhookWatch["follow"];
}

/** Makes the webhook, and sweeps memory while it is served. */
export function openWebhook(parts: WebhookParts): OpenWebhook {
  const { process, metrics, configs, bundle, permits, log, ended } = parts;
  const { context, lines, onFailure } = parts;
  const { serving } = process;
  let judged = 0;
  let served: string | undefined;
  const server = webhookServer({
    ...{ ...serving, context, metrics, onFailure },
    log: (record) => {
      judged += 1;
      logDecision(record, { lines, least: serving.logLevel });
    },
    notReady: () => {
      if (!configs.isSynced()) return "SvcConfigs were not listed yet";
      if (!bundle.isKnown()) return "the version of the API server is not known yet";
      return permits.notReady();
    },
    refused: () => trust.refused(),
    limits: { inFlight: serving.inFlight, waiting: 4 * serving.inFlight },
    onStart: (port) => {
      log("info", "the webhook is served", { port });
      sweepMemory(() => judged, ended);
    },
  });
  const { port } = server;
  const trust = watchTrust(process, { ...parts, port, served: () => served });
  return {
    ...server,
    serve: (certificate) => {
      server.serve(certificate);
      served = certificate.certificatePem;
    },
    watch: trust.follow,
  };
}

interface DecisionLog {
  readonly lines: LineQueue;
  readonly least: "info" | "warn" | "error";
}

function logDecision(record: DecisionRecord, { lines, least }: DecisionLog): void {
  if (isLogged(decisionLevel(record), least)) lines.put(decisionLine(record, new Date()));
}
