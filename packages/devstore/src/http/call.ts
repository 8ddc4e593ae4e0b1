import type { JsonObject } from "../json/json.ts";
import type { StoreState } from "../model/store-state.ts";
import type { Token } from "../model/tokens.ts";
import type { StoreRequest } from "./request.ts";
import { type Envelope, envelope, type StoreResponse } from "./responses.ts";

/** One request on its way to a handler: everything a handler may look at or change. */
export interface Call {
  readonly request: StoreRequest;
  readonly body: JsonObject;
  readonly state: StoreState;
  readonly now: number;
  /** The rest of the path after the handler's part. */
  readonly rest: string;
}

/** The same with the token that was checked. */
export interface TokenCall extends Call {
  readonly token: Token;
}

/** Answers with the envelope and a fresh request id. */
export function answer(call: Call, parts: Omit<Envelope, "requestId">): StoreResponse {
  return envelope({ requestId: call.state.random.uuid(), ...parts });
}

/** A time as OpenBao writes it; empty for none. */
export function timeText(ms: number | undefined): string {
  return ms === undefined ? "" : new Date(ms).toISOString();
}
