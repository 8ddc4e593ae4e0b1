import { Secret } from "@svc/vault";
import type { SecretContent, SecretObject } from "../secret-object.ts";
import type { Reserved, StoredKeys } from "../secret-phase.ts";

export const reserved: Reserved = { phase: "reserved", holder: "run-1", sinceMs: 1_000_000 };

export const storedKeys: StoredKeys = {
  phase: "initialised",
  shares: ["c2hhcmUx", "c2hhcmUy", "c2hhcmUz"].map((share) => new Secret(share)),
  threshold: 2,
  rootToken: new Secret("s.root"),
  encryption: {},
  revoking: false,
  clusterId: "11111111-2222",
  createdMs: 2_000_000,
};

/** A Secret with that content, as a server gives it. */
export function readBack(
  content: SecretContent,
  changed: Partial<SecretObject> = {},
): SecretObject {
  const revision = { uid: "u", resourceVersion: "1" };
  return { ...content, revision, immutable: false, deleting: false, ...changed };
}
