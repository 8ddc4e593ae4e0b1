import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import {
  noCertificates,
  readStored,
  type StoredCertificates,
  storedData,
} from "./stored-certificates.ts";

/** The content of the Secret, and its state at the read. */
export interface StoreState {
  readonly stored: StoredCertificates;
  /** Undefined if there is no Secret. */
  readonly resourceVersion: string | undefined;
}

/** The shared data of the replicas. */
export interface CertificateStore {
  /** How it is called in messages: `secret "svc-operator-tls" in namespace "svc-system"`. */
  readonly name: string;
  /** @throws KubernetesError */
  readonly read: () => Promise<StoreState>;
  /**
   * Replaces the content that was read; false if the state has changed.
   * @throws KubernetesError
   */
  readonly write: (stored: StoredCertificates, over: StoreState) => Promise<boolean>;
}

/** Which Secret. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The type of a Secret that the operator makes. The chart makes it beforehand, so that the account
 * need not be able to make any.
 */
const TYPE = "svc.internal/webhook-certificates";

/** Keeps certificates in a Secret, of which it changes the keys that it knows and nothing else. */
export function certificateStore(
  api: Pick<KubernetesApi, "ask">,
  place: SecretPlace,
): CertificateStore {
  const secrets = `/api/v1/namespaces/${place.namespace}/secrets`;
  const path = `${secrets}/${place.name}`;
  const name = `secret "${place.name}" in namespace "${place.namespace}"`;
  const read = async (): Promise<StoreState> => {
    try {
      const answer = await api.ask({ method: "GET", path, operation: `read ${name}` });
      const { metadata, data } = Object(answer);
      const { resourceVersion } = Object(metadata);
      return { stored: readStored(data), resourceVersion: String(resourceVersion) };
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      return { stored: noCertificates, resourceVersion: undefined };
    }
  };
  const write: CertificateStore["write"] = async (stored, { resourceVersion }) => {
    const data = storedData(stored);
    const carriesSecret = true;
    try {
      if (resourceVersion === undefined) {
        const body = {
          apiVersion: "v1",
          kind: "Secret",
          metadata: place,
          type: TYPE,
          data: given(data),
        };
        const operation = `create ${name}`;
        await api.ask({ method: "POST", path: secrets, body, operation, carriesSecret });
      } else {
        // With the version in it the server refuses it (409) if anything has changed since.
        const body = { metadata: { resourceVersion }, data };
        await api.ask({ method: "PATCH", path, body, operation: `write ${name}`, carriesSecret });
      }
      return true;
    } catch (error) {
      // Gone in the meantime, or changed, or made by another client.
      if (statusOf(error) === 409 || statusOf(error) === 404) return false;
      throw error;
    }
  };
  return { name, read, write };
}

/** A removed key is null in a patch, which is not valid for a new object. */
function given(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

function statusOf(error: unknown): number | undefined {
  return error instanceof KubernetesError ? error.status : undefined;
}
