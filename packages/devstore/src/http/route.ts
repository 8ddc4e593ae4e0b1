import type { Call, TokenCall } from "./call.ts";
import type { Operation } from "./request.ts";
import type { StoreResponse } from "./responses.ts";

/** A path that every client may use: a login. */
export interface OpenRoute {
  readonly kind: "open";
  readonly rest: string;
  readonly operations: Readonly<Partial<Record<Operation, (call: Call) => StoreResponse>>>;
}

/** A path that needs a valid token, and, unless `anyToken`, a policy that allows the operation. */
export interface TokenRoute {
  readonly kind: "token";
  readonly rest: string;
  readonly anyToken?: true;
  readonly operations: Readonly<Partial<Record<Operation, (call: TokenCall) => StoreResponse>>>;
  /** Tells `update` from `create`; every write is an update if this is absent. */
  readonly exists?: () => boolean;
}

/** Where a request goes. */
export type Route = OpenRoute | TokenRoute;
