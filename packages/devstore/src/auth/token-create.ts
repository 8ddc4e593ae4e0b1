import { answer, type TokenCall } from "../http/call.ts";
import {
  booleanField,
  integerField,
  objectField,
  stringField,
  stringListField,
  validated,
} from "../http/fields.ts";
import type { StoreResponse } from "../http/responses.ts";
import { parseDurationMs } from "../json/go-duration.ts";
import type { JsonObject } from "../json/json.ts";
import { refuse } from "../model/errors.ts";
import { issueToken, SYSTEM_MAX_TTL_MS } from "../model/tokens.ts";
import { cappedWarning } from "./token-self.ts";
import { authView } from "./token-view.ts";

/** Fields that OpenBao has and this store has not: better refused than silently ignored. */
const NOT_SUPPORTED = ["period", "entity_alias", "type", "id"] as const;

/** `POST auth/token/create`: a child of the calling token, or an orphan with `no_parent`. */
export function createToken(call: TokenCall): StoreResponse {
  refuseUnsupported(call.body);
  const renewable = validated(() => booleanField(call.body, "renewable")) ?? true;
  const uses = validated(() => integerField(call.body, "num_uses")) ?? 0;
  if (uses < 0) refuse(400, "number of uses cannot be negative");
  const ttlMs = lifetimeMs(call.body, "ttl");
  const explicitMaxTtlMs = lifetimeMs(call.body, "explicit_max_ttl");
  const policies = policiesFor(call);
  const orphan = isOrphan(call);
  const token = issueToken(
    {
      id: `s.${call.state.random.letters()}`,
      accessor: call.state.random.letters(),
      displayName: displayName(call.body),
      path: "auth/token/create",
      meta: objectField(call.body, "meta") ?? null,
      ...(orphan ? {} : { parent: call.token.id }),
      policies,
      renewable,
      uses,
      ttlMs,
      explicitMaxTtlMs,
    },
    call.now,
  );
  call.state.tokens.set(token.id, token);
  const warnings = [
    ...cappedWarning(ttlMs, explicitMaxTtlMs || SYSTEM_MAX_TTL_MS),
    ...unknownPolicies(call, policies),
  ];
  return answer(call, { auth: authView(token, call.now), warnings });
}

function refuseUnsupported(body: JsonObject): void {
  const given = NOT_SUPPORTED.find((name) => body[name] !== undefined);
  if (given === undefined || (given === "type" && body["type"] === "service")) return;
  refuse(400, `the development store has no tokens with "${given}"`);
}

function lifetimeMs(body: JsonObject, name: "ttl" | "explicit_max_ttl"): number {
  const value = body[name];
  const text = typeof value === "number" ? value : (stringField(body, name) ?? "");
  const durationMs = parseDurationMs(text) ?? refuse(400, `time: invalid duration "${text}"`);
  return durationMs < 0 ? refuse(400, `${name} must be positive`) : durationMs;
}

/** The wanted policies, else those of the parent; `default` is added unless it was declined. */
function policiesFor(call: TokenCall): readonly string[] {
  const parent = call.token.policies;
  const wanted = stringListField(call.body, "policies") ?? [];
  if (wanted.length === 0) return parent;
  const parentIsRoot = parent.includes("root");
  if (!parentIsRoot && wanted.some((name) => name !== "default" && !parent.includes(name))) {
    refuse(400, "child policies must be subset of parent");
  }
  const bare = wanted.includes("root") || booleanField(call.body, "no_default_policy") === true;
  return [...new Set(bare ? wanted : [...wanted, "default"])].sort();
}

function isOrphan(call: TokenCall): boolean {
  if (booleanField(call.body, "no_parent") !== true) return false;
  if (call.token.policies.includes("root")) return true;
  return refuse(400, "root or sudo privileges required to create orphan token");
}

function displayName(body: JsonObject): string {
  const given = stringField(body, "display_name") ?? "";
  return given === "" ? "token" : `token-${given}`;
}

function unknownPolicies(call: TokenCall, names: readonly string[]): readonly string[] {
  const known = (name: string): boolean =>
    name === "root" || name === "default" || call.state.policies.has(name);
  return names.filter((name) => !known(name)).map((name) => `Policy "${name}" does not exist`);
}
