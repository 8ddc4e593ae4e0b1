import type { KubernetesApi } from "@svc/kubernetes";
import { aborted, type LineQueue, type Log } from "@svc/logging";
import { version } from "@svc/protocol";
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
import { type BundleChoice, chooseBundle } from "./bundle-choice.ts";
import { certificatesOf } from "./certificates-of.ts";
import { configStore } from "./config-store.ts";
import { openPermits, type Permits } from "./open-permits.ts";
import { openWebhook } from "./open-webhook.ts";
import { operatorContext } from "./operator-context.ts";
import { ProcessFacts } from "./process-facts.ts";
import { rehearseLogins } from "./rehearse-logins.ts";

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
  const { api, authorities, providers, log, lines, identity, signal } = parts;
  const configs = watchConfigs(api, (error) =>
    log("warn", error instanceof Error ? error.message : "watch SvcConfigs: it failed"),
  );
  const facts = new ProcessFacts();
  const metrics = operatorMetrics(() => facts.read({ version, configs, lines, permits }));
  const store = configStore(api, configs);
  const logins = new RegistryLogins({ rules: process.logins.rules, providers, authorities });
  void rehearseLogins(logins, log);
  const ended = new AbortController();
  const { certificate, cluster, serving } = process;
  const bundle = chooseBundle(process.operator.bundle, { api, log }, ended.signal);
  const permits = openPermits(process, { api, metrics, log, identity });
  const operator = withLatest(process.operator, { bundle, permits });
  const context = operatorContext(
    { ...process, operator },
    { ...parts, configs: store, logins, metrics },
  );
  const certificates = certificatesOf(certificate, { api, cluster, log, metrics: facts });
  let failure: Error | undefined;
  const webhook = openWebhook({
    ...{ process, context, metrics, configs, bundle, permits, lines, log, ended: ended.signal },
    ...{ api, identity },
    onFailure: (error) => {
      failure = error;
      ended.abort();
    },
  });
  const following = Promise.all([
    certificates.follow(webhook.serve, ended.signal),
    webhook.watch(ended.signal),
    permits.serve(ended.signal),
  ]);
  const statuses = { api, configs, log, operator, instance: identity };
  const leading = runLeader({
    ...{ api, identity, log, signal: ended.signal },
    namespace: cluster.namespace,
    name: cluster.lease,
    onChange: facts.leads,
    lead: async (until) => {
      const countsPods = cluster.countPods;
      await Promise.all([
        certificates.lead(until),
        permits.lead(until),
        // Leadership is kept, also if there is nothing to do.
        cluster.keepStatus ? keepStatuses({ ...statuses, countsPods }, until) : aborted(until),
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

/** The settings, with the facts about the cluster at the time of a request. */
function withLatest(
  settings: OperatorSettings,
  { bundle, permits }: { readonly bundle: BundleChoice; readonly permits: Permits },
): OperatorSettings {
  return {
    ...settings,
    get bundle() {
      return bundle.current();
    },
    get permits() {
      return permits.place();
    },
    hints: permits.hints !== undefined,
  };
}
