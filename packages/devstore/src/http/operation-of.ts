import { refuse } from "../model/errors.ts";
import type { Operation, StoreRequest } from "./request.ts";

const BY_METHOD: Readonly<Record<string, Operation>> = {
  GET: "read",
  LIST: "list",
  POST: "write",
  PUT: "write",
  DELETE: "delete",
  PATCH: "patch",
};

/** The operation that a method stands for; `GET` with `?list=true` is a list (http/logical.go). */
export function operationOf(request: StoreRequest): Operation {
  if (request.method === "OPTIONS") refuse(400, "cannot handle internal-only request operation");
  const operation = BY_METHOD[request.method] ?? refuse(405, "");
  return operation === "read" && wantsList(request) ? "list" : operation;
}

function wantsList(request: StoreRequest): boolean {
  const text = request.query.get("list") ?? "";
  if (text === "") return false;
  return parseGoBool(text) ?? refuse(400, "");
}

/** Go's strconv.ParseBool; undefined when it would fail. */
export function parseGoBool(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}
