import { as, get, having, post, remove } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { ACCOUNT } from "../fixture.ts";
import { clientToken, field } from "../make-token.ts";
import { envelope, errors, MISSING, NOT_ALLOWED, NOT_KNOWN, TEXT, UUID } from "../replies.ts";
import { type Ask, type ContractServer, type Reply, send } from "../server.ts";
import { about, cappedInLife } from "../token-replies.ts";

const LOGIN = "auth/kubernetes/login";
const MAX_TTL_SECONDS = 2_764_800;

/** A login without a token, as a pod does it. */
const login = (body: unknown): Ask => as(null, post(LOGIN, body));

const loggedIn = (role: string, seconds: unknown) =>
  envelope({
    auth: {
      client_token: TEXT,
      accessor: TEXT,
      policies: ["app", "default"],
      token_policies: ["app", "default"],
      metadata: {
        role,
        service_account_name: ACCOUNT.name,
        service_account_namespace: ACCOUNT.namespace,
        service_account_secret_name: "",
        service_account_uid: ACCOUNT.uid,
      },
      lease_duration: seconds,
      renewable: true,
      entity_id: UUID,
      token_type: "service",
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    },
  });

/** Logins with the right JWT: role and answer. */
const ROLES: readonly (readonly [name: string, role: string, wanted: Reply])[] = [
  ["a login gives a token of the role", "app", loggedIn("app", 3600)],
  [
    "a login with the right audience",
    "right-audience",
    loggedIn("right-audience", MAX_TTL_SECONDS),
  ],
  ["a role for every account", "anyone", loggedIn("anyone", MAX_TTL_SECONDS)],
  [
    "a role for another audience is 403",
    "wrong-audience",
    errors(
      403,
      "invalid audience (aud) claim: audience claim does not match any expected audience",
    ),
  ],
  [
    "a role for another name is 403",
    "other-name",
    errors(403, "service account name not authorized"),
  ],
  [
    "a role for another namespace is 403",
    "other-namespace",
    errors(403, "namespace not authorized"),
  ],
  ["an unknown role is 400", "nobody", errors(400, 'invalid role name "nobody"')],
  ["an empty role is 400", "", errors(400, "missing role")],
];

/** The kubernetes login. */
export const kubernetesCases: readonly ContractCase[] = [
  ...ROLES.map(([name, role, wanted]) => withJwt(name, (jwt) => login({ role, jwt }), wanted)),
  withJwt("a login without role is 400", (jwt) => login({ jwt }), errors(400, "missing role")),
  oneRequest("a login without JWT is 400", login({ role: "app" }), errors(400, "missing jwt")),
  oneRequest(
    "a login with an empty JWT is 400",
    login({ role: "app", jwt: "" }),
    errors(400, "missing jwt"),
  ),
  oneRequest("a login without body is 400", login(undefined), errors(400, "missing role")),
  oneRequest(
    "a login with a text that is not a JWT is 403",
    login({ role: "app", jwt: "garbage" }),
    NOT_KNOWN,
  ),
  withJwt(
    "a login with another signature is 403",
    (jwt) => login({ role: "app", jwt: `${jwt.slice(0, -4)}AAAA` }),
    NOT_KNOWN,
  ),
  withJwt(
    "PUT logs in too",
    (jwt) => ({ method: "PUT", path: LOGIN, token: null, body: { role: "app", jwt } }),
    loggedIn("app", 3600),
  ),
  withJwt(
    "a token sent along does not matter",
    (jwt) => as("nobody", post(LOGIN, { role: "app", jwt })),
    loggedIn("app", 3600),
  ),
  withJwt(
    "a login in another namespace is 404",
    (jwt) => having({ "X-Vault-Namespace": "team" }, login({ role: "app", jwt })),
    errors(404, "namespace not found"),
  ),
  oneRequest("a login cannot be read", as(null, get(LOGIN)), errors(405, "unsupported operation")),
  oneRequest(
    "a login cannot be deleted",
    as(null, remove(LOGIN)),
    errors(405, "unsupported operation"),
  ),
  oneRequest(
    "a login at a path without a mount is 403",
    as(null, post("auth/other/login", {})),
    NOT_KNOWN,
  ),
  oneRequest(
    "a login at a path without a mount is 404 for a known token",
    post("auth/other/login", {}),
    errors(404, 'no handler for route "auth/other/login". route entry not found.'),
  ),
  {
    name: "the token of a login has the rights of the role's policies and no more",
    run: async (server) => {
      const token = await loginToken(server);
      await expectReply(server, as(token, get("secret/data/app/none")), MISSING);
      await expectReply(server, as(token, get("secret/data/none")), NOT_ALLOWED);
    },
  },
  {
    name: "the token of a login knows its origin, and renews up to the role's maximum",
    run: async (server) => {
      const token = await loginToken(server);
      const self = await send(server, as(token, get("auth/token/lookup-self")));
      const data = field(self.body, "data");
      expectField(data, "path", LOGIN);
      expectField(data, "display_name", `kubernetes-${ACCOUNT.namespace}-${ACCOUNT.name}`);
      const renew = (body?: object) => as(token, post("auth/token/renew-self", body));
      const capped = loggedIn("app", about(7200));
      const body = { ...bodyOf(capped), warnings: cappedInLife("5h", 2) };
      await expectReply(server, renew({ increment: "5h" }), { status: 200, body });
      await expectReply(server, renew(), loggedIn("app", 3600));
    },
  },
];

function withJwt(name: string, ask: (jwt: string) => Ask, wanted: Reply): ContractCase {
  return { name, run: (server) => expectReply(server, ask(server.jwt), wanted) };
}

async function loginToken(server: ContractServer): Promise<string> {
  return clientToken((await send(server, login({ role: "app", jwt: server.jwt }))).body);
}

function expectField(value: unknown, name: string, wanted: unknown): void {
  if (field(value, name) !== wanted) {
    throw new TypeError(`${name}: want ${String(wanted)}: got ${String(field(value, name))}`);
  }
}

function bodyOf(reply: Reply): object {
  return typeof reply.body === "object" && reply.body !== null ? reply.body : {};
}
