import { memberReader, successEnvelope } from "../http/envelope.ts";
import { statusError } from "../http/status-error.ts";
import { callOnce, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";

/** The answer to GET /v1/sys/seal-status. */
export interface SealStatus {
  readonly initialized: boolean;
  readonly sealed: boolean;
  /** Shares needed. */
  readonly threshold: number;
  /** Shares given so far. */
  readonly progress: number;
  readonly version: string;
}

/** The present abilities of a node of the vault. */
export type HealthState =
  | "active"
  | "standby"
  | "dr-secondary"
  | "performance-standby"
  | "not-initialized"
  | "sealed";

/** The statuses of GET /v1/sys/health. */
const healthStates: Readonly<Record<number, HealthState>> = {
  200: "active",
  429: "standby",
  472: "dr-secondary",
  473: "performance-standby",
  501: "not-initialized",
  503: "sealed",
};

/** GET /v1/sys/seal-status, once. */
export function sealStatus(caller: VaultCaller): Promise<SealStatus> {
  const request = stateRequest("read seal status", "sys/seal-status");
  return callOnce(caller, request, (response) => {
    const reader = memberReader(request, successEnvelope(request, response), "answer");
    return {
      initialized: reader.boolean("initialized"),
      sealed: reader.boolean("sealed"),
      threshold: reader.number("t"),
      progress: reader.number("progress"),
      version: reader.string("version"),
    };
  });
}

/** GET /v1/sys/leader, once. */
export function isHighlyAvailable(caller: VaultCaller): Promise<boolean> {
  const request = stateRequest("read leader", "sys/leader");
  return callOnce(caller, request, (response) =>
    memberReader(request, successEnvelope(request, response), "answer").boolean("ha_enabled"),
  );
}

/** GET /v1/sys/health, once. Every state the API knows is an answer, not an error. */
export function health(caller: VaultCaller): Promise<HealthState> {
  const request = stateRequest("read health", "sys/health");
  return callOnce(caller, request, (response) => acceptHealth(request, response));
}

function acceptHealth(request: VaultRequest, response: VaultResponse): HealthState {
  const state = Object.hasOwn(healthStates, response.status)
    ? healthStates[response.status]
    : undefined;
  if (state === undefined) throw statusError(request, response);
  // Something in front of the vault answers 200 and 503 too, but not with this member.
  const body = successEnvelope(request, { ...response, status: 200 });
  memberReader(request, body, "answer").boolean("sealed");
  return state;
}

function stateRequest(operation: string, path: string): VaultRequest {
  return { operation, method: "GET", target: path, path, rootNamespace: true };
}
