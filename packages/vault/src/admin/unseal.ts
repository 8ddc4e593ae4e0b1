import { VaultError } from "../errors/vault-error.ts";
import { jsonBody } from "../http/json-body.ts";
import { call, callOnce, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";
import { type NodeState, readNodeState } from "./node-state.ts";

/** GET /v1/sys/seal-status, once. */
export function nodeState(caller: VaultCaller): Promise<NodeState> {
  const request: VaultRequest = {
    operation: "read seal status",
    method: "GET",
    target: "sys/seal-status",
    path: "sys/seal-status",
    rootNamespace: true,
    // Another node's state would be taken for this one's.
    mayRedirect: false,
  };
  return callOnce(caller, request, (response) => readNodeState(request, response));
}

/**
 * PUT /v1/sys/unseal with a share. A share given twice counts once, so it may be sent again.
 *
 * The server judges shares only together: with the last one needed. It then forgets all of them.
 * @throws VaultError `SHARE_REFUSED`; `NOT_INITIALIZED` if the node has not joined its cluster
 * yet
 */
export function unseal(caller: VaultCaller, share: Secret): Promise<NodeState> {
  const request: VaultRequest = {
    ...unsealRequest("give a key share"),
    body: jsonBody({ key: share }),
  };
  return call(caller, request, (response) => readUnsealed(request, response));
}

/** PUT /v1/sys/unseal with `reset`: the node forgets the shares that it was given. */
export function resetUnseal(caller: VaultCaller): Promise<NodeState> {
  const request: VaultRequest = {
    ...unsealRequest("forget the key shares given so far"),
    body: jsonBody({ reset: true }),
  };
  return call(caller, request, (response) => readNodeState(request, response));
}

function unsealRequest(operation: string): VaultRequest {
  const path = "sys/unseal";
  // Only the node that is unsealed may see a share.
  const alone = { rootNamespace: true, mayRedirect: false } as const;
  return { operation, method: "PUT", target: path, path, ...alone };
}

function readUnsealed(request: VaultRequest, response: VaultResponse): NodeState {
  try {
    return readNodeState(request, response);
  } catch (error) {
    // A share of a wrong form, of another store, or one of a wrong set: the status is the same.
    if (!(error instanceof VaultError && error.code === "BAD_REQUEST")) throw error;
    const { message, status, path, cause } = error;
    throw new VaultError("SHARE_REFUSED", message, { status, path, cause });
  }
}
