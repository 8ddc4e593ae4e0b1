import { describe, expect, test } from "bun:test";
import { beginRevocation, dropRootToken, noteCluster, noteConfigured } from "./amend-keys.ts";
import { parsePhase } from "./parse-phase.ts";
import type { SecretClient, SecretContent, SecretObject } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";
import { readBack, storedKeys } from "./testdata/secret-objects.ts";
import { writePhase } from "./write-phase.ts";

const encrypted: StoredKeys = { ...storedKeys, encryption: { shares: "pgp", rootToken: "age" } };
const fresh: StoredKeys = { ...encrypted, clusterId: undefined };
const bare: StoredKeys = { ...storedKeys, rootToken: undefined };

type Amend = (secret: SecretClient) => Promise<"updated" | "unchanged">;
const cluster: Amend = (secret) => noteCluster(secret, "id-1");
const configured: Amend = (secret) => noteConfigured(secret, "sha256:1");
const shares = { shares: "pgp" };

const rows: readonly (readonly [
  name: string,
  before: StoredKeys,
  amend: Amend,
  outcome: "updated" | "unchanged",
  after: object,
])[] = [
  ["a cluster is noted", fresh, cluster, "updated", { clusterId: "id-1" }],
  ["a cluster stays", storedKeys, cluster, "unchanged", { clusterId: "11111111-2222" }],
  ["a set-up is noted", fresh, configured, "updated", { configured: "sha256:1" }],
  [
    "another set-up is noted",
    { ...fresh, configured: "sha256:0" },
    configured,
    "updated",
    { configured: "sha256:1" },
  ],
  [
    "the same set-up is there already",
    { ...fresh, configured: "sha256:1" },
    configured,
    "unchanged",
    { configured: "sha256:1" },
  ],
  ["a revocation is noted", encrypted, beginRevocation, "updated", { revoking: true }],
  [
    "a revocation is there already",
    { ...encrypted, revoking: true },
    beginRevocation,
    "unchanged",
    { revoking: true },
  ],
  ["nothing is revoked without a token", bare, beginRevocation, "unchanged", { revoking: false }],
  [
    "a token goes with all that is noted about it",
    { ...encrypted, revoking: true },
    dropRootToken,
    "updated",
    { rootToken: undefined, revoking: false, encryption: shares },
  ],
  [
    "notes about a removed token go",
    { ...encrypted, rootToken: undefined, revoking: true },
    dropRootToken,
    "updated",
    { rootToken: undefined, revoking: false, encryption: shares },
  ],
  ["no token is dropped twice", bare, dropRootToken, "unchanged", { rootToken: undefined }],
];

describe("of the keys that are stored", () => {
  for (const [name, before, amend, outcome, after] of rows) {
    test(name, async () => {
      const { secret, object } = secretWith(writePhase(before));
      expect(await amend(secret)).toBe(outcome);
      expect(parsePhase(object())).toMatchObject({ ...after, threshold: 2 });
      expect(object().annotations["somebody"]).toBe("else");
    });
  }
});

test("without keys there is nothing to amend", async () => {
  const { secret } = secretWith({ ...writePhase(storedKeys), annotations: {}, data: new Map() });
  const error: unknown = await noteCluster(secret, "id-1").catch((it: unknown) => it);
  expect(error).toMatchObject({ code: "OUTPUT_FOREIGN" });
});

/** A Secret in memory; the real one is in the tests with an API server. */
function secretWith(content: SecretContent): { secret: SecretClient; object: () => SecretObject } {
  const noted = { ...content.annotations, somebody: "else" };
  let object = readBack({ ...content, annotations: noted });
  const refuse = () => Promise.reject(new TypeError("amend: only reads, rehearses and replaces"));
  const replace = async (changed: SecretContent): Promise<"written"> => {
    object = { ...object, ...changed };
    return "written";
  };
  const read = async () => object;
  const secret = { name: "secret", read, replace };
  return {
    secret: {
      ...secret,
      create: refuse,
      rehearse: async (it) => it,
      createBeside: refuse,
      besideName: refuse,
    },
    object: () => object,
  };
}
