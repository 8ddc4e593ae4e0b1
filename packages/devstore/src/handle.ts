import { authenticate, authorize, endSpentToken } from "./auth/authorize.ts";
import { findRoute, noRouteText } from "./find-route.ts";
import type { Call, TokenCall } from "./http/call.ts";
import { operationOf } from "./http/operation-of.ts";
import { parseBody } from "./http/parse-body.ts";
import type { Operation, StoreRequest } from "./http/request.ts";
import { errors, type StoreResponse } from "./http/responses.ts";
import type { Route, TokenRoute } from "./http/route.ts";
import { DevStoreError, refuse } from "./model/errors.ts";
import type { Capability } from "./model/policy.ts";
import type { StoreState } from "./model/store-state.ts";
import { systemAnswer } from "./sys/handle-system.ts";

/**
 * The store as a state machine: the answer to `request` at `now` (milliseconds since the epoch),
 * with `state` changed accordingly. It touches nothing else.
 */
export function handle(request: StoreRequest, state: StoreState, now: number): StoreResponse {
  try {
    return systemAnswer(request, state, now) ?? logicalAnswer(request, state, now);
  } catch (error) {
    if (!(error instanceof DevStoreError) || error.code !== "REFUSED") throw error;
    return error.message === "" ? errors(error.status) : errors(error.status, error.message);
  }
}

/** The steps that every request takes that is not about the server itself. */
function logicalAnswer(request: StoreRequest, state: StoreState, now: number): StoreResponse {
  if (state.sealed) refuse(503, "Vault is sealed");
  refuseNamespace(request.namespace);
  const operation = operationOf(request);
  const path = pathOf(request, operation);
  const body = parseBody(request.body, request.contentType);
  if (request.wrap) refuse(400, "the development store does not wrap responses");
  const route = findRoute(state, path);
  const call: Call = { request, state, now, body, rest: route?.rest ?? "" };
  if (route?.kind === "open") return openAnswer(call, route.operations[operation]);
  const checked = authenticate(call);
  try {
    return tokenAnswer(checked, path, operation, route);
  } finally {
    endSpentToken(checked);
  }
}

/** This store has the root namespace only, under each of its names. */
function refuseNamespace(namespace: string): void {
  const name = namespace.replace(/^\/+|\/+$/g, "");
  if (name !== "" && name !== "root") refuse(404, "namespace not found");
}

/** OpenBao lists folders: the slash at the end is added when it is missing. */
function pathOf(request: StoreRequest, operation: Operation): string {
  return operation === "list" && !request.path.endsWith("/") ? `${request.path}/` : request.path;
}

function openAnswer(
  call: Call,
  handler: ((call: Call) => StoreResponse) | undefined,
): StoreResponse {
  return handler === undefined ? errors(405, "unsupported operation") : handler(call);
}

function tokenAnswer(
  call: TokenCall,
  path: string,
  operation: Operation,
  route: Exclude<Route, { kind: "open" }> | undefined,
): StoreResponse {
  if (route?.anyToken !== true) authorize(call, path, [capabilityFor(operation, route)]);
  if (route === undefined) return errors(404, noRouteText(path));
  const handler = route.operations[operation];
  if (handler === undefined) return errors(405, "1 error occurred:\n\t* unsupported operation\n\n");
  return handler(call);
}

function capabilityFor(operation: Operation, route: TokenRoute | undefined): Capability {
  if (operation !== "write") return operation;
  return route?.exists === undefined || route.exists() ? "update" : "create";
}
