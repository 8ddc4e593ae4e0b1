import { expect } from "bun:test";
import type { ContractCase } from "./contract-case.ts";
import { makeToken } from "./make-token.ts";
import { envelope, TEXT, TIME } from "./replies.ts";
import type { ContractServer } from "./server.ts";

export const SELF = "auth/token/lookup-self";
export const RENEW = "auth/token/renew-self";
export const CREATE = "auth/token/create";

/** Seconds that were `full` a moment ago: less than five off. */
export const about = (full: number): unknown => expect.closeTo(full, -1);

/**
 * The `auth` block of a token that root made with the policy `app` for an hour, except for `more`.
 */
export const auth = (more: object) => ({
  client_token: TEXT,
  accessor: TEXT,
  policies: ["app", "default"],
  token_policies: ["app", "default"],
  metadata: null,
  lease_duration: about(3600),
  renewable: true,
  entity_id: "",
  token_type: "service",
  orphan: false,
  mfa_requirement: null,
  num_uses: 0,
  ...more,
});

/** The lookup of the same token, except for `more`. */
export const lookup = (more: object) =>
  envelope({
    data: {
      accessor: TEXT,
      creation_time: expect.any(Number),
      creation_ttl: 3600,
      display_name: "token",
      entity_id: "",
      expire_time: TIME,
      explicit_max_ttl: 0,
      id: TEXT,
      issue_time: TIME,
      meta: null,
      num_uses: 0,
      orphan: false,
      path: "auth/token/create",
      policies: ["app", "default"],
      renewable: true,
      ttl: about(3600),
      type: "service",
      ...more,
    },
  });

/** The warning that a lifetime was cut. */
export const capped = (wanted: string, max: string) => [
  `TTL of "${wanted}" exceeded the effective max_ttl of "${max}"; TTL value is capped accordingly`,
];

/** The same of a token that has lived for a moment: its remaining time may be seconds less. */
export const cappedInLife = (wanted: string, hours: number) => [
  expect.stringMatching(
    new RegExp(
      `^TTL of "${wanted}" exceeded .* "(?:${hours}h|${hours - 1}h59m5\\ds)"; TTL value is`,
    ),
  ),
];

/** A case that begins with its own token. */
export function withToken(
  name: string,
  wanted: Readonly<Record<string, unknown>>,
  run: (server: ContractServer, token: string) => Promise<void>,
): ContractCase {
  return { name, run: async (server) => run(server, await makeToken(server, wanted)) };
}
