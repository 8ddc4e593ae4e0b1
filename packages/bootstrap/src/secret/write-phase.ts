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
import type { Holding, PodMark, StoredKeys } from "./secret-phase.ts";

/** The Secret that says a phase, the inverse of `parsePhase`. */
export function writePhase(phase: Holding | StoredKeys): SecretContent {
  const kept = { type: secretType, labels: secretLabels };
  switch (phase.phase) {
    case "reserved":
    case "initialising":
    case "resetting":
      return { ...kept, annotations: annotationsOfHolding(phase), data: new Map() };
    case "initialised":
      return { ...kept, annotations: annotationsOfKeys(phase), data: dataOf(phase) };
  }
}

function annotationsOfHolding(held: Holding): Record<string, string> {
  return {
    [annotations.phase]: held.phase,
    [annotations.holder]: held.holder,
    [annotations.reservedAt]: timeText(held.sinceMs),
    ...notedResets(held.resets),
    ...annotationsOfInitialisation(held),
  };
}

function annotationsOfInitialisation(held: Holding): Record<string, string> {
  switch (held.phase) {
    case "reserved":
      return {};
    case "initialising":
      return {
        [annotations.pod]: podText(held.pod),
        [annotations.shares]: String(held.shares),
        [annotations.threshold]: String(held.threshold),
        ...noted(annotations.beside, held.beside),
      };
    case "resetting": {
      const { pod, claim } = held;
      return {
        [annotations.pod]: podText(pod),
        [annotations.claim]: `${claim.name}/${claim.uid}`,
      };
    }
  }
}

/** None of the three has a slash in it. */
function podText({ name, uid, containers = "" }: PodMark): string {
  return `${name}/${uid}/${containers}`;
}

function notedResets(resets: number): Record<string, string> {
  return noted(annotations.resets, resets === 0 ? undefined : String(resets));
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
    ...notedResets(keys.resets),
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
