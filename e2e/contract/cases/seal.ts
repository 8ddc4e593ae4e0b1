import { expect } from "bun:test";
import { as, get, having, post } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { empty, errors, MISSING, NOT_KNOWN, TEXT, UUID } from "../replies.ts";
import { type Ask, type ContractServer, type Reply, send } from "../server.ts";

const SEALED = errors(503, "Vault is sealed");
const BAD_KEY = errors(400, "'key' must be a valid hex or base64 string");
const NO_KEY = errors(
  400,
  "'key' must be specified in request body as JSON, or 'reset' set to true",
);
const WRONG_KEY = errors(
  400,
  "unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: " +
    "cipher: message authentication failed",
);

const status = (sealed: boolean): Reply => ({
  status: 200,
  body: {
    type: "shamir",
    initialized: true,
    sealed,
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    recovery_seal: false,
    version: "2.7.2",
    commit_date: expect.any(String),
    migration: false,
    storage_type: "inmem",
    ...(sealed ? {} : { cluster_name: TEXT, cluster_id: UUID }),
  },
});

const sealedHealth = (code: number): Reply => ({
  status: code,
  body: {
    initialized: true,
    sealed: true,
    standby: true,
    replication_performance_mode: "unknown",
    replication_dr_mode: "unknown",
    server_time_utc: expect.any(Number),
    version: "2.7.2",
  },
});

const open = (ask: Ask): Ask => as(null, ask);
const unseal = (body: unknown): Ask => open(post("sys/unseal", body));

const ROWS: readonly (readonly [name: string, ask: Ask, wanted: Reply])[] = [
  ["health is 503", open(get("sys/health")), sealedHealth(503)],
  ["sealedcode replaces 503", open(get("sys/health?sealedcode=200")), sealedHealth(200)],
  ["activecode does not", open(get("sys/health?activecode=299")), sealedHealth(503)],
  ["HEAD of health is 503", { method: "HEAD", path: "sys/health", token: null }, empty(503)],
  ["seal-status says so", open(get("sys/seal-status")), status(true)],
  ["it is still initialised", open(get("sys/init")), { status: 200, body: { initialized: true } }],
  ["a read is 503", get("secret/data/a"), SEALED],
  ["a read without token is 503", open(get("secret/data/a")), SEALED],
  ["a path without mount is 503", get("nowhere/a"), SEALED],
  [
    "another namespace is 503",
    having({ "X-Vault-Namespace": "team" }, get("secret/data/a")),
    SEALED,
  ],
  ["a login is 503", open(post("auth/kubernetes/login", { role: "app", jwt: "x" })), SEALED],
  ["a renewal is 503", post("auth/token/renew-self"), SEALED],
  ["the mount of a path is 503", get("sys/internal/ui/mounts/secret/a"), SEALED],
  ["sealing again is 204", post("sys/seal"), empty(204)],
  ["unsealing without key is 400", unseal({}), NO_KEY],
  ["unsealing with an empty key is 400", unseal({ key: "" }), NO_KEY],
  ["unsealing with no key at all is 400", unseal({ key: "zz!" }), BAD_KEY],
  ["unsealing with a short key is 400", unseal({ key: "aa" }), BAD_KEY],
  ["unsealing with a wrong key is 400", unseal({ key: "00".repeat(32) }), WRONG_KEY],
  ["unsealing can be reset", unseal({ reset: true }), status(true)],
];

/** The answers of a sealed server. Each case needs one and leaves it sealed. */
export const sealedCases: readonly ContractCase[] = ROWS.map(([name, ask, wanted]) =>
  oneRequest(`while sealed, ${name}`, ask, wanted),
);

/** Seals the server, for `sealedCases`. */
export async function sealServer(server: ContractServer): Promise<void> {
  await expectReply(server, post("sys/seal"), empty(204));
}

/** Makes the server active again. */
export async function unsealServer(server: ContractServer): Promise<void> {
  await expectReply(server, unseal({ key: server.unsealKey }), status(false));
}

/** Sealing and unsealing an active server; every case leaves it active. */
export const sealCases: readonly ContractCase[] = [
  oneRequest("seal-status of an active server", open(get("sys/seal-status")), status(false)),
  oneRequest("seal-status cannot be posted", open(post("sys/seal-status")), errors(405)),
  oneRequest("seal cannot be read", get("sys/seal"), errors(405)),
  oneRequest("unseal cannot be read", open(get("sys/unseal")), errors(405)),
  oneRequest("sealing without a token is 403", open(post("sys/seal")), NOT_KNOWN),
  oneRequest("sealing with an unknown token is 403", as("nobody", post("sys/seal")), NOT_KNOWN),
  oneRequest(
    "a reset while unsealed is 400",
    unseal({ reset: true }),
    errors(400, "vault is unsealed"),
  ),
  {
    name: "the key unseals, in base64 and in hex, and everything is as before",
    run: async (server) => {
      const hex = Buffer.from(server.unsealKey, "base64").toString("hex");
      for (const key of [server.unsealKey, hex]) {
        await send(server, { method: "PUT", path: "sys/seal" });
        await expectReply(server, unseal({ key }), status(false));
        await expectReply(server, unseal({ key }), status(false));
        await expectReply(server, get("secret/data/none"), MISSING);
      }
    },
  },
];
