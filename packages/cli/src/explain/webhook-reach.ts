import { matchesLabels } from "@svc/operator";
import type { FoundOperator } from "../cluster/find-operator.ts";
import type { FoundWebhook } from "../cluster/find-webhook.ts";

/** The facts that decide whether the API server calls a webhook for a pod. */
export interface ReachedPod {
  readonly namespace: string;
  /** Undefined if they could not be read. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** The creation time of an existing pod; undefined for pods to come. */
  readonly createdAt: string | undefined;
}

/**
 * Everything that keeps the operator from being asked about the pod, or from answering; empty if
 * nothing does.
 */
export function webhookReach(
  webhook: FoundWebhook | undefined,
  operator: FoundOperator | undefined,
  pod: ReachedPod,
): readonly string[] {
  if (webhook === undefined) {
    return ["no webhook of the operator is configured in this cluster: install its chart"];
  }
  const { configuration, failurePolicy, namespaceSelector, objectSelector } = webhook;
  const { namespace, namespaceLabels, labels, createdAt } = pod;
  const away =
    failurePolicy === "Ignore" ? "pods are admitted without secrets" : "pods that ask are refused";
  const reasons: readonly (readonly [boolean, string])[] = [
    [
      namespaceLabels !== undefined && !matchesLabels(namespaceSelector, namespaceLabels),
      `namespace ${namespace} is excluded by the namespaceSelector of webhook configuration ${configuration}`,
    ],
    [
      !matchesLabels(objectSelector, labels),
      `the pod's labels are excluded by the objectSelector of webhook configuration ${configuration}`,
    ],
    [
      !webhook.hasCaBundle,
      `webhook configuration ${configuration} has no CA bundle yet: until the operator has written it, ${away}`,
    ],
    [
      operator !== undefined && operator.available === 0,
      `no replica of the operator is available: until one is, ${away}`,
    ],
    [
      createdAt !== undefined && Date.parse(createdAt) < Date.parse(webhook.createdAt),
      "the pod is older than the webhook: create it again",
    ],
  ];
  return reasons.filter(([holds]) => holds).map(([, reason]) => reason);
}
