import { isLogged, type LineQueue, type Log } from "@svc/logging";
import type { AdmissionContext } from "../admission/admission-context.ts";
import { decisionLevel, decisionLine } from "../admission/decision-line.ts";
import type { DecisionRecord } from "../admission/decision-record.ts";
import type { OperatorMetrics } from "../admission/operator-metrics.ts";
import type { OperatorProcess } from "../flags/operator-process.ts";
import type { ConfigWatch } from "../svc-config/watch-configs.ts";
import type { BundleChoice } from "./bundle-choice.ts";
import { sweepMemory } from "./memory-sweep.ts";
import type { Permits } from "./open-permits.ts";
import { type WebhookServer, webhookServer } from "./webhook-server.ts";

/** The inputs of the operator's webhook. */
export interface WebhookParts {
  readonly serving: OperatorProcess["serving"];
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

/** Makes the webhook, and sweeps memory while it is served. */
export function openWebhook(parts: WebhookParts): WebhookServer {
  const { serving, context, metrics, configs, bundle, permits, lines, log, ended, onFailure } =
    parts;
  let judged = 0;
  return webhookServer({
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
    limits: { inFlight: serving.inFlight, waiting: 4 * serving.inFlight },
    onStart: (port) => {
      log("info", "the webhook is served", { port });
      sweepMemory(() => judged, ended);
    },
  });
}

interface DecisionLog {
  readonly lines: LineQueue;
  readonly least: "info" | "warn" | "error";
}

function logDecision(record: DecisionRecord, { lines, least }: DecisionLog): void {
  if (isLogged(decisionLevel(record), least)) lines.put(decisionLine(record, new Date()));
}
