import { rulesOf } from "../auth/authorize.ts";
import { answer, type TokenCall } from "../http/call.ts";
import { errors, type StoreResponse } from "../http/responses.ts";
import type { JsonObject } from "../json/json.ts";
import { reaches } from "../model/policy.ts";
import { DEV_LEASE_MOUNT, mountOf } from "./mount-of.ts";
import { OPENBAO_VERSION } from "./version.ts";

/**
 * `GET sys/internal/ui/mounts/<path>`: the mount that the path lies in, for any token that has a
 * rule below that mount. Clients learn here whether a path is KV version 2.
 */
export function mountOfPath(call: TokenCall): StoreResponse {
  const mount = mountOf(call.state, call.rest);
  const allowed = mount !== undefined && mayReach(call, `${mount}/`);
  if (mount === undefined || !allowed) return errors(403, preflight(call.rest));
  return answer(call, { data: mountView(mount) });
}

function mayReach(call: TokenCall, prefix: string): boolean {
  if (call.token.policies.includes("root")) return true;
  return reaches(prefix, rulesOf(call.state, call.token));
}

function preflight(path: string): string {
  const asked = `${path.replace(/\/$/, "")}/`;
  const advice = "please ensure client's policies grant access to path";
  return `preflight capability check returned 403, ${advice} "${asked}"`;
}

function mountView(path: string): JsonObject {
  const lease = path === DEV_LEASE_MOUNT;
  const type = lease ? "dev-lease" : "kv";
  return {
    accessor: `${type}_${Bun.hash.crc32(path).toString(16).padStart(8, "0")}`,
    config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
    deprecation_status: "supported",
    description: lease ? "leased values of the development store" : "key/value secret storage",
    external_entropy_access: false,
    local: false,
    options: lease ? null : { version: "2" },
    path: `${path}/`,
    plugin_version: "",
    running_plugin_version: `v${OPENBAO_VERSION}+builtin.bao`,
    running_sha256: "",
    seal_wrap: false,
    type,
    uuid: "00000000-0000-0000-0000-000000000000",
  };
}
