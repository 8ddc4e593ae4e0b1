import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import type { Authority } from "./generation.ts";
import type { WebhookTrust } from "./next-step.ts";
import { parseAuthorities } from "./parse-generation.ts";

/** Which webhooks are ours: those of these configurations that call this service. */
export interface WebhookPlace {
  /** Names of MutatingWebhookConfigurations. */
  readonly configurations: readonly string[];
  readonly service: { readonly namespace: string; readonly name: string };
}

/** One webhook of ours as it was read. */
export interface OwnWebhook extends WebhookTrust {
  readonly configuration: string;
  /** The uid of the configuration. */
  readonly uid: string;
  /** The PEM text of its CA bundle. A webhook without a bundle has an empty text. */
  readonly bundle: string;
  readonly resourceVersion: string;
  /** Its place in the configuration. */
  readonly index: number;
  readonly name: string;
}

/** Writes the CA bundle that the API servers trust. */
export interface WebhookTrustClient {
  /** How they are called in messages. */
  readonly name: string;
  /** @throws KubernetesError */
  readonly read: () => Promise<readonly OwnWebhook[]>;
  /**
   * Makes each of these webhooks trust only the authorities; false if one of their configurations
   * has changed since it was read.
   * @throws KubernetesError
   */
  readonly publish: (
    webhooks: readonly OwnWebhook[],
    authorities: readonly Authority[],
  ) => Promise<boolean>;
}

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
/** It distinguishes its field in the configuration from those that Helm and others manage. */
const MANAGER = "svc-operator";

/**
 * Reaches the webhooks of a place; a configuration that is not there has none. Only their
 * `caBundle` is ever changed.
 */
export function webhookTrustClient(
  api: Pick<KubernetesApi, "ask">,
  place: WebhookPlace,
): WebhookTrustClient {
  const readOne = async (name: string): Promise<readonly OwnWebhook[]> => {
    const operation = `read mutatingwebhookconfiguration "${name}"`;
    try {
      const answer = await api.ask({ method: "GET", path: `${CONFIGURATIONS}/${name}`, operation });
      return ownWebhooks(answer, name, place);
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return [];
      throw error;
    }
  };
  const publishOne = async (
    webhooks: readonly OwnWebhook[],
    caBundle: string,
  ): Promise<boolean> => {
    const [first] = webhooks;
    if (first === undefined) return true;
    const { configuration, resourceVersion } = first;
    const path = `${CONFIGURATIONS}/${configuration}?fieldManager=${MANAGER}`;
    const operation = `write caBundle of mutatingwebhookconfiguration "${configuration}"`;
    const isAsRead = { op: "test", path: "/metadata/resourceVersion", value: resourceVersion };
    const body = [isAsRead, ...webhooks.flatMap((webhook) => bundlePatch(webhook, caBundle))];
    try {
      await api.ask({ method: "PATCH", patch: "json", path, body, operation });
      return true;
    } catch (error) {
      // A test that fails is "Invalid" to the server.
      if (error instanceof KubernetesError && (await isOutdated(error, first))) return false;
      throw error;
    }
  };
  const isOutdated = async ({ status }: KubernetesError, webhook: OwnWebhook): Promise<boolean> => {
    if (status === 409 || status === 404) return true;
    if (status !== 422) return false;
    const [now] = await readOne(webhook.configuration);
    return now?.resourceVersion !== webhook.resourceVersion;
  };
  return {
    name: place.configurations.join(", "),
    read: async () => (await Promise.all(place.configurations.map(readOne))).flat(),
    publish: async (webhooks, authorities) => {
      const pem = authorities.map((authority) => authority.pem).join("");
      const caBundle = Buffer.from(pem).toString("base64");
      const written = [];
      for (const group of Map.groupBy(webhooks, ({ configuration }) => configuration).values()) {
        written.push(await publishOne(group, caBundle));
      }
      return written.every(Boolean);
    },
  };
}

function ownWebhooks(
  answer: unknown,
  configuration: string,
  { service }: WebhookPlace,
): readonly OwnWebhook[] {
  const { metadata, webhooks } = Object(answer);
  const { resourceVersion, uid } = Object(metadata);
  if (!Array.isArray(webhooks)) return [];
  return webhooks.flatMap((webhook: unknown, index) => {
    const { name, clientConfig } = Object(webhook);
    const called = Object(Object(clientConfig).service);
    if (called.namespace !== service.namespace || called.name !== service.name) return [];
    const { caBundle } = Object(clientConfig);
    const text = typeof caBundle === "string" ? caBundle : "";
    const bundle = Buffer.from(text, "base64").toString("utf8");
    const place = { configuration, resourceVersion: String(resourceVersion), index };
    return [{ ...place, uid: String(uid), name: String(name), bundle, ...trustOf(bundle) }];
  });
}

function trustOf(bundle: string): WebhookTrust {
  if (bundle === "") return { authorities: [], hasOther: false };
  const { authorities, unreadable } = parseAuthorities(bundle);
  // Another client may have written a bundle without readable certificates.
  return { authorities, hasOther: unreadable > 0 || authorities.length === 0 };
}

function bundlePatch({ index, name }: OwnWebhook, caBundle: string): readonly object[] {
  const webhook = `/webhooks/${index}`;
  return [
    { op: "test", path: `${webhook}/name`, value: name },
    // "add" replaces the old value.
    { op: "add", path: `${webhook}/clientConfig/caBundle`, value: caBundle },
  ];
}
