import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import { tryTrust } from "../certificates/try-trust.ts";
import {
  type OwnWebhookWatch,
  type TrustFinding,
  watchOwnWebhook,
} from "../certificates/watch-own-webhook.ts";
import { webhookTrustClient } from "../certificates/webhook-trust.ts";
import { eventObject, eventsPath } from "../events/event-object.ts";
import type { OperatorProcess } from "../flags/operator-process.ts";

/** The inputs of the watch on the operator's webhook. */
export interface TrustWatchParts {
  readonly api: KubernetesApi;
  readonly log: Log;
  readonly identity: string;
  /** The certificate that is served, in PEM. */
  readonly served: () => string | undefined;
  /** The port at which it is served. */
  readonly port: () => number | undefined;
}

/** Watches whether API servers would accept this replica. */
export function watchTrust(
  { certificate, cluster, serving }: Pick<OperatorProcess, "certificate" | "cluster" | "serving">,
  { api, log, identity, served, port }: TrustWatchParts,
): OwnWebhookWatch {
  const service = { namespace: cluster.namespace, name: certificate.service };
  const servername = `${service.name}.${service.namespace}.svc`;
  const host = reachedHost(serving.hostname);
  const webhooks = webhookTrustClient(api, {
    configurations: [certificate.configuration],
    service,
  });
  return watchOwnWebhook({
    ...{ webhooks, served, log },
    tryTrust: async (bundle) => {
      const here = port();
      if (here === undefined) return { kind: "unknown", why: "it is not served" };
      return tryTrust({ host, port: here, servername, bundle });
    },
    tell: (finding) => writeEvent(finding, { api, identity, log }),
  });
}

/** An address that stands for all of the machine's is reached at its loopback. */
function reachedHost(hostname: string): string {
  if (hostname === "" || hostname === "0.0.0.0") return "127.0.0.1";
  return hostname === "::" ? "::1" : hostname;
}

async function writeEvent(
  { configuration, uid, reason, note }: TrustFinding,
  { api, identity, log }: Pick<TrustWatchParts, "api" | "identity" | "log">,
): Promise<void> {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const regarding = { apiVersion, kind: "MutatingWebhookConfiguration", name: configuration, uid };
  const told = { type: "Warning" as const, reason, note, regarding };
  const body = eventObject({ ...told, action: "WatchOwnWebhook", instance: identity });
  const operation = `write an event for MutatingWebhookConfiguration "${configuration}"`;
  try {
    await api.ask({ method: "POST", path: eventsPath(), body, operation });
  } catch (error) {
    // An account without the right to write events does not get it by asking again.
    log("warn", error instanceof Error ? error.message : `${operation}: it failed`);
  }
}
