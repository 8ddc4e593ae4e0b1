import { expect } from "bun:test";
import { as, get, having, patch, post, remove } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { makeToken } from "../make-token.ts";
import { empty, envelope, errors, MISSING, NOT_ALLOWED, NOT_KNOWN, written } from "../replies.ts";
import type { Ask, Reply } from "../server.ts";

interface Row {
  readonly name: string;
  readonly policies: readonly string[];
  readonly ask: Ask;
  readonly wanted: Reply;
}

const app = (name: string, ask: Ask, wanted: Reply): Row => ({
  name,
  policies: ["app"],
  ask,
  wanted,
});
const writer = (name: string, ask: Ask, wanted: Reply): Row => ({
  name,
  policies: ["writer"],
  ask,
  wanted,
});

/** Rows that need a token with policies; none of the secrets exists, so allowed reads are 404. */
const ROWS: readonly Row[] = [
  app("a prefix allows the paths below it", get("secret/data/app/a/b"), MISSING),
  app("a prefix does not allow the folder itself", get("secret/data/app"), NOT_ALLOWED),
  app("an exact deny wins over a prefix", get("secret/data/app/denied"), NOT_ALLOWED),
  app("a read rule does not allow a write", post("secret/data/app/a", { data: {} }), NOT_ALLOWED),
  app("a read rule does not allow a delete", remove("secret/data/app/a"), NOT_ALLOWED),
  app("a read rule does not allow a patch", patch("secret/data/app/a", { data: {} }), NOT_ALLOWED),
  app("a plus stands for one segment", get("secret/data/x/shared"), MISSING),
  app("a plus does not stand for two segments", get("secret/data/x/y/shared"), NOT_ALLOWED),
  app("a plus in the middle works", get("secret/data/team/red/key"), MISSING),
  app("other paths are denied", get("secret/data/other"), NOT_ALLOWED),
  app("metadata is a separate path", get("secret/metadata/app/a"), NOT_ALLOWED),
  app("a rule for a folder allows its list", get("secret/metadata/app?list=true"), MISSING),
  app("a list elsewhere is denied", get("secret/metadata/?list=true"), NOT_ALLOWED),
  app("a path without a mount is denied, not 404", get("nowhere/data/a"), NOT_ALLOWED),
  app("a path without data/ is denied, not explained", get("secret/app"), NOT_ALLOWED),
  app("an unknown path of the token store is denied", get("auth/token/nothing"), NOT_ALLOWED),
  app("tokens cannot be made", post("auth/token/create", {}), NOT_ALLOWED),
  app("sealing is denied", post("sys/seal"), NOT_ALLOWED),
  app("update alone does not create", post("secret/data/new/shared", { data: {} }), NOT_ALLOWED),
  writer(
    "update alone does not create below a prefix",
    post("secret/data/writer/a", { data: {} }),
    NOT_ALLOWED,
  ),
  {
    name: "a deny in one policy wins over another policy's rule on the same path",
    policies: ["app", "app-shared-denied"],
    ask: get("secret/data/x/shared"),
    wanted: NOT_ALLOWED,
  },
  {
    name: "a policy that does not exist allows nothing",
    policies: ["no-such-policy"],
    ask: get("secret/data/app/a"),
    wanted: NOT_ALLOWED,
  },
];

/** Tokens, policies and namespaces: the rights of each. */
export const accessCases: readonly ContractCase[] = [
  oneRequest("no token is 403", as(null, get("secret/data/a")), NOT_KNOWN),
  oneRequest("an empty token is 403", as("", get("secret/data/a")), NOT_KNOWN),
  oneRequest("an unknown token is 403", as("s.nobody", get("secret/data/a")), NOT_KNOWN),
  oneRequest("no token on an unknown path is 403", as(null, get("nowhere/a")), NOT_KNOWN),
  {
    name: "a token may come as a bearer token",
    run: async (server) => {
      const bearer = { Authorization: `Bearer ${server.rootToken}` };
      await expectReply(server, as(null, having(bearer, get("secret/data/none"))), MISSING);
    },
  },
  ...ROWS.map(
    (row): ContractCase => ({
      name: row.name,
      run: async (server) => {
        const token = await makeToken(server, { policies: row.policies, ttl: "1h" });
        await expectReply(server, as(token, row.ask), row.wanted);
      },
    }),
  ),
  {
    name: "create makes a new secret and does not change it; update does",
    run: async (server) => {
      const token = await makeToken(server, { policies: ["app"], ttl: "1h" });
      const write = as(token, post("secret/data/exact", { data: {} }));
      await expectReply(server, write, written({}));
      await expectReply(server, write, NOT_ALLOWED);
      await expectReply(server, remove("secret/data/exact"), empty(204));
      await expectReply(server, write, NOT_ALLOWED);
      await expectReply(server, remove("secret/metadata/exact"), empty(204));
      await expectReply(server, post("secret/data/upd/shared", { data: {} }), written({}));
      const update = as(token, post("secret/data/upd/shared", { data: {} }));
      await expectReply(server, update, written({ version: 2 }));
    },
  },
  ...["", "root", "/", "root/"].map((name) =>
    oneRequest(
      `the root namespace may be called "${name}"`,
      having({ "X-Vault-Namespace": name }, get("secret/data/none")),
      MISSING,
    ),
  ),
  oneRequest(
    "another namespace is not found",
    having({ "X-Vault-Namespace": "team" }, get("secret/data/none")),
    errors(404, "namespace not found"),
  ),
  oneRequest(
    "another namespace is not found even without a token",
    as(null, having({ "X-Vault-Namespace": "team/" }, get("secret/data/none"))),
    errors(404, "namespace not found"),
  ),
  ...["secret/data/app/a", "secret/app", "secret", "secret/"].map(
    (path): ContractCase => ({
      name: `a token that may reach a path may see its mount: ${path}`,
      run: async (server) => {
        const token = await makeToken(server, { policies: ["app"], ttl: "1h" });
        await expectReply(server, as(token, get(`sys/internal/ui/mounts/${path}`)), KV_MOUNT);
      },
    }),
  ),
  {
    name: "a token that may reach nothing in a mount may not see it",
    run: async (server) => {
      const token = await makeToken(server, { policies: ["default"], ttl: "1h" });
      const ask = as(token, get("sys/internal/ui/mounts/secret/a"));
      await expectReply(server, ask, preflight("secret/a/"));
    },
  },
  oneRequest(
    "a path without a mount is the same 403",
    get("sys/internal/ui/mounts/nowhere/a"),
    preflight("nowhere/a/"),
  ),
  oneRequest(
    "the mount of a path is not told without a token",
    as(null, get("sys/internal/ui/mounts/secret/a")),
    NOT_KNOWN,
  ),
];

const KV_MOUNT = envelope({
  data: {
    accessor: expect.stringMatching(/^kv_[0-9a-f]{8}$/),
    config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
    deprecation_status: "supported",
    description: "key/value secret storage",
    external_entropy_access: false,
    local: false,
    options: { version: "2" },
    path: "secret/",
    plugin_version: "",
    running_plugin_version: "v2.7.2+builtin.bao",
    running_sha256: "",
    seal_wrap: false,
    type: "kv",
    uuid: expect.any(String),
  },
});

function preflight(path: string): Reply {
  const advice = "please ensure client's policies grant access to path";
  return errors(403, `preflight capability check returned 403, ${advice} "${path}"`);
}
