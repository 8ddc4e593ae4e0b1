import { expect } from "bun:test";
import { as, get, having, post } from "../asks.ts";
import { type ContractCase, oneRequest } from "../contract-case.ts";
import { empty, errors, TEXT, UUID } from "../replies.ts";
import type { Reply } from "../server.ts";

const active = (status: number): Reply => ({
  status,
  body: {
    initialized: true,
    sealed: false,
    standby: false,
    replication_performance_mode: "disabled",
    replication_dr_mode: "disabled",
    server_time_utc: expect.any(Number),
    version: "2.7.2",
    cluster_name: TEXT,
    cluster_id: UUID,
  },
});

const health = (query: string) => as(null, get(`sys/health${query}`));

/** The state of an unsealed server, which needs no token. */
export const healthCases: readonly ContractCase[] = [
  oneRequest("health of an active server is 200", health(""), active(200)),
  oneRequest("activecode replaces 200", health("?activecode=299"), active(299)),
  oneRequest("activecode 204 has no body", health("?activecode=204"), empty(204)),
  oneRequest(
    "codes for other states do not matter",
    health("?sealedcode=499&standbyok=true&uninitcode=222&standbycode=428"),
    active(200),
  ),
  oneRequest("a code that is not a number is 400", health("?sealedcode=x"), errors(400)),
  oneRequest("a flag that is not a boolean is 400", health("?standbyok=maybe"), errors(400)),
  oneRequest(
    "HEAD of health is 200",
    { method: "HEAD", path: "sys/health", token: null },
    empty(200),
  ),
  oneRequest("health cannot be posted", as(null, post("sys/health")), errors(405)),
  ...["team", "root"].map((name) =>
    oneRequest(
      `health in a namespace is 400: ${name}`,
      having({ "X-Vault-Namespace": name }, health("")),
      errors(400, "operation unavailable in namespaces"),
    ),
  ),
  oneRequest("an active server is initialised", as(null, get("sys/init")), {
    status: 200,
    body: { initialized: true },
  }),
  oneRequest(
    "a second initialisation is 400",
    as(null, { method: "PUT", path: "sys/init", body: { secret_shares: 1, secret_threshold: 1 } }),
    errors(400, "Vault is already initialized"),
  ),
  oneRequest("a single server has no leader", as(null, get("sys/leader")), {
    status: 200,
    body: { ha_enabled: false },
  }),
];
