import type { V1Secret } from "@kubernetes/client-node";
import type { SecretContent, SecretObject, SecretRevision } from "../secret/secret-object.ts";

/** The owner of the Secret. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** A Secret as the API takes it. */
export function toManifest(
  content: SecretContent,
  named: SecretName,
  revision?: SecretRevision,
): V1Secret {
  const { type, labels, annotations, data } = content;
  const encoded = [...data].map(([key, bytes]) => [key, bytes.toBase64()] as const);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...named,
      labels: { ...labels },
      annotations: { ...annotations },
      // A precondition: the server refuses the write of an object that has changed since.
      ...revision,
    },
    type,
    data: Object.fromEntries(encoded),
  };
}

/** The data of the Secret. The API server itself has checked the base64. */
export function fromManifest({ metadata, type, data, immutable }: V1Secret): SecretObject {
  const decoded = Object.entries(data ?? {}).map(
    ([key, text]) => [key, Uint8Array.fromBase64(text)] as const,
  );
  return {
    revision: { uid: metadata?.uid ?? "", resourceVersion: metadata?.resourceVersion ?? "" },
    type: type ?? "",
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
    data: new Map(decoded),
    immutable: immutable === true,
    deleting: metadata?.deletionTimestamp !== undefined,
  };
}
