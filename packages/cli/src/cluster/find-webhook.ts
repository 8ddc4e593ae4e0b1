import { ADMISSION_PATH, type LabelSelector } from "@svc/operator";
import type { Manifest } from "./cluster-view.ts";

/** The operator's webhook, as the cluster has it. */
export interface FoundWebhook {
  /** The name of the configuration that it is in. */
  readonly configuration: string;
  /** The name by which API servers call it in their refusals. */
  readonly name: string;
  readonly createdAt: string;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly failurePolicy: string;
  readonly hasCaBundle: boolean;
  /** Undefined if it is reached by a URL. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
}

/** Every webhook of an operator of ours: those that ask its path about pods. */
export function findWebhooks(configurations: readonly Manifest[]): readonly FoundWebhook[] {
  return configurations.flatMap(({ metadata, webhooks }) => {
    const { name, creationTimestamp } = Object(metadata);
    const members: readonly unknown[] = Array.isArray(webhooks) ? webhooks : [];
    return members.flatMap((webhook) => {
      const { clientConfig, failurePolicy, namespaceSelector, objectSelector } = Object(webhook);
      const { name: webhookName } = Object(webhook);
      const { service, url, caBundle } = Object(clientConfig);
      const path = service === undefined ? URL.parse(String(url))?.pathname : Object(service).path;
      if (path !== ADMISSION_PATH) return [];
      const { namespace, name: serviceName } = Object(service);
      return {
        configuration: String(name),
        name: String(webhookName),
        createdAt: String(creationTimestamp),
        // The API server has checked that they are selectors.
        namespaceSelector: Object(namespaceSelector) as LabelSelector,
        objectSelector: Object(objectSelector) as LabelSelector,
        failurePolicy: String(failurePolicy ?? "Fail"),
        hasCaBundle: typeof caBundle === "string" && caBundle !== "",
        service: service && { namespace: String(namespace), name: String(serviceName) },
      };
    });
  });
}
