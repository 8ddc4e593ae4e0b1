import type { KubernetesApi } from "@svc/kubernetes";
import { aborted, isLogged, type LineQueue, type Log } from "@svc/logging";
import { version } from "@svc/protocol";
import { decisionLevel, decisionLine } from "../admission/decision-line.ts";
import type { DecisionRecord } from "../admission/decision-record.ts";
import { operatorMetrics } from "../admission/operator-metrics.ts";
import { keepStatuses } from "../config-status/keep-statuses.ts";
import type { OperatorProcess } from "../flags/operator-process.ts";
import type { RegistrySettings } from "../image/registry-settings.ts";
import type { OperatorSettings } from "../inject/operator-settings.ts";
import { runLeader } from "../leader/run-leader.ts";
import {
  RegistryLogins,
  type RegistryLoginsOptions,
} from "../registry-logins/providers/registry-logins.ts";
import { watchConfigs } from "../svc-config/watch-configs.ts";
import { chooseBundle } from "./bundle-choice.ts";
import { certificatesOf } from "./certificates-of.ts";
import { configStore } from "./config-store.ts";
import { sweepMemory } from "./memory-sweep.ts";
import { operatorContext } from "./operator-context.ts";
import { ProcessFacts } from "./process-facts.ts";
import { rehearseLogins } from "./rehearse-logins.ts";
import { webhookServer } from "./webhook-server.ts";

/** The inputs of the operator. */
export interface OperatorParts {
  readonly api: KubernetesApi;
  readonly authorities: RegistrySettings["authorities"];
  /** Ways to log in to registries, by source. */
  readonly providers: RegistryLoginsOptions["providers"];
  readonly log: Log;
  /** The outputs for the log's lines and for those of pods. */
  readonly lines: LineQueue;
  /** The identity of this process and no other. */
  readonly identity: string;
  /** Ends it after the running requests. */
  readonly signal: AbortSignal;
}

/**
 * Runs the operator until its signal is aborted: follows the SvcConfigs and the certificate,
 * answers the API server, and as the leader keeps the certificate and the status of SvcConfigs.
 *
 * @throws the runtime's error if the port is not available
 */
export async function runOperator(process: OperatorProcess, parts: OperatorParts): Promise<void> {
  const { api, log, lines, identity, signal } = parts;
  const configs = watchConfigs(api, (error) =>
    log("warn", error instanceof Error ? error.message : "watch SvcConfigs: it failed"),
  );
  const facts = new ProcessFacts();
  const metrics = operatorMetrics(() => facts.read({ version, configs, lines }));
  const store = configStore(api, configs);
  const { authorities, providers } = parts;
  const logins = new RegistryLogins({ rules: process.logins.rules, providers, authorities });
  void rehearseLogins(logins, log);
  const ended = new AbortController();
  const { certificate, cluster, serving } = process;
  const bundle = chooseBundle(process.operator.bundle, { api, log }, ended.signal);
  const operator: OperatorSettings = {
    ...process.operator,
    get bundle() {
      return bundle.current();
    },
  };
  const context = operatorContext(
    { ...process, operator },
    { ...parts, configs: store, logins, metrics },
  );
  const certificates = certificatesOf(certificate, { api, cluster, log, metrics: facts });
  let failure: Error | undefined;
  let judged = 0;
  const note = pods(lines, serving.logLevel);
  const webhook = webhookServer({
    ...{ ...serving, context, metrics },
    log: (record) => {
      judged += 1;
      note(record);
    },
    notReady: () => {
      if (!configs.isSynced()) return "SvcConfigs were not listed yet";
      return bundle.isKnown() ? undefined : "the version of the API server is not known yet";
    },
    limits: { inFlight: serving.inFlight, waiting: 4 * serving.inFlight },
    onStart: (port) => {
      log("info", "the webhook is served", { port });
      sweepMemory(() => judged, ended.signal);
    },
    onFailure: (error) => {
      failure = error;
      ended.abort();
    },
  });
  const following = certificates.follow(webhook.serve, ended.signal);
  const ofConfigs = {
    ...{ api, configs, log, operator, instance: identity },
    countsPods: cluster.countPods,
  };
  const leading = runLeader({
    ...{ api, identity, log, signal: ended.signal },
    namespace: cluster.namespace,
    name: cluster.lease,
    onChange: facts.leads,
    lead: async (until) => {
      await Promise.all([
        certificates.lead(until),
        // With files and without statuses there is nothing to do, and leadership is kept all the
        // same.
        cluster.keepStatus ? keepStatuses(ofConfigs, until) : aborted(until),
      ]);
    },
  });
  await aborted(AbortSignal.any([signal, ended.signal]));
  log("info", "it ends", {});
  // Others may lead while this one answers its last requests: the certificate stays good for long.
  ended.abort();
  await Promise.all([webhook.stop(serving), leading, following]);
  await Promise.all([configs.stop(), bundle.ended]);
  if (failure !== undefined) throw failure;
  log("info", "it has ended", {});
  await lines.flushed();
}

function pods(lines: LineQueue, least: "info" | "warn" | "error") {
  return (record: DecisionRecord): void => {
    if (isLogged(decisionLevel(record), least)) lines.put(decisionLine(record, new Date()));
  };
}
