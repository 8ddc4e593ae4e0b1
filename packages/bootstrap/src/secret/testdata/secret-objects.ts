import { Secret } from "@svc/vault";
import type { SecretContent, SecretObject } from "../secret-object.ts";
import type { Initialising, Reserved, Resetting, StoredKeys } from "../secret-phase.ts";

export const reserved: Reserved = {
  phase: "reserved",
  holder: "run-1",
  sinceMs: 1_000_000,
  resets: 0,
};

const pod = { name: "store-0", uid: "pod-uid", containers: "c0ffee" };

export const initialising: Initialising = {
  ...{ ...reserved, phase: "initialising", pod, shares: 3, threshold: 2 },
  beside: "svc-vault-init-1a2b3c4d",
};

export const resetting: Resetting = {
  ...{ ...reserved, phase: "resetting", resets: 1, pod },
  claim: { name: "data-store-0", uid: "claim-uid" },
};

export const storedKeys: StoredKeys = {
  phase: "initialised",
  shares: ["c2hhcmUx", "c2hhcmUy", "c2hhcmUz"].map((share) => new Secret(share)),
  threshold: 2,
  rootToken: new Secret("s.root"),
  encryption: {},
  revoking: false,
  clusterId: "11111111-2222",
  createdMs: 2_000_000,
  resets: 0,
};

/** A Secret with that content, as a server gives it. */
export function readBack(
  content: SecretContent,
  changed: Partial<SecretObject> = {},
): SecretObject {
  const revision = { uid: "u", resourceVersion: "1" };
  return { ...content, revision, immutable: false, deleting: false, ...changed };
}
