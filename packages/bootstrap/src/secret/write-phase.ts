import type { Secret } from "@svc/vault";
import {
  annotations,
  revokingText,
  rootTokenKey,
  secretLabels,
  secretType,
  shareKey,
} from "./secret-format.ts";
import type { SecretContent } from "./secret-object.ts";
import type { Reserved, StoredKeys } from "./secret-phase.ts";

/** The Secret that says a phase, the inverse of `parsePhase`. */
export function writePhase(phase: Reserved | StoredKeys): SecretContent {
  const kept = { type: secretType, labels: secretLabels };
  switch (phase.phase) {
    case "reserved":
      return { ...kept, annotations: annotationsOfReserved(phase), data: new Map() };
    case "initialised":
      return { ...kept, annotations: annotationsOfKeys(phase), data: dataOf(phase) };
  }
}

function annotationsOfReserved({ phase, holder, sinceMs }: Reserved): Record<string, string> {
  return {
    [annotations.phase]: phase,
    [annotations.holder]: holder,
    [annotations.reservedAt]: timeText(sinceMs),
  };
}

function annotationsOfKeys(keys: StoredKeys): Record<string, string> {
  const { phase, shares, threshold, encryption, createdMs } = keys;
  return {
    [annotations.phase]: phase,
    [annotations.initialisedAt]: timeText(createdMs),
    [annotations.shares]: String(shares.length),
    [annotations.threshold]: String(threshold),
    ...noted(annotations.sharesEncrypted, encryption.shares),
    ...noted(annotations.rootTokenEncrypted, encryption.rootToken),
    ...noted(annotations.rootToken, keys.revoking ? revokingText : undefined),
    ...noted(annotations.clusterId, keys.clusterId),
    ...noted(annotations.configured, keys.configured),
  };
}

function noted(name: string, text: string | undefined): Record<string, string> {
  return text === undefined ? {} : { [name]: text };
}

function dataOf({ shares, rootToken }: StoredKeys): ReadonlyMap<string, Uint8Array> {
  const data = new Map(shares.map((share, index) => [shareKey(index), bytesOf(share)]));
  return rootToken === undefined ? data : data.set(rootTokenKey, bytesOf(rootToken));
}

function bytesOf(secret: Secret): Uint8Array {
  const bytes = new Uint8Array(secret.byteLength);
  secret.writeTo(bytes);
  return bytes;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
