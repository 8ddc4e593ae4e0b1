import { answer, type TokenCall } from "../http/call.ts";
import { durationMsField, validated } from "../http/fields.ts";
import { noContent, type StoreResponse } from "../http/responses.ts";
import { shortDuration } from "../json/go-duration.ts";
import { refuse } from "../model/errors.ts";
import { revokeToken } from "../model/store-state.ts";
import { maxLeftMs, renewToken } from "../model/tokens.ts";
import { authView, tokenView } from "./token-view.ts";

/** `GET auth/token/lookup-self` */
export function lookupSelf(call: TokenCall): StoreResponse {
  return answer(call, { data: tokenView(call.token, call.now) });
}

/** `POST auth/token/renew-self` with an optional `increment`. */
export function renewSelf(call: TokenCall): StoreResponse {
  const incrementMs = validated(() => durationMsField(call.body, "increment")) ?? 0;
  if (!call.token.renewable) refuse(400, "lease is not renewable");
  const renewed = renewToken(call.token, incrementMs, call.now);
  call.state.tokens.set(renewed.id, renewed);
  const warnings = cappedWarning(incrementMs, maxLeftMs(call.token, call.now));
  return answer(call, { auth: authView(renewed, call.now), warnings });
}

/** `POST auth/token/revoke-self` */
export function revokeSelf(call: TokenCall): StoreResponse {
  revokeToken(call.state, call.token.id);
  return noContent();
}

/** The warning that a wanted lifetime was cut; none when it was not. */
export function cappedWarning(wantedMs: number, maxMs: number): readonly string[] {
  if (wantedMs <= maxMs) return [];
  const [wanted, max] = [shortDuration(wantedMs), shortDuration(Math.ceil(maxMs / 1000) * 1000)];
  return [
    `TTL of "${wanted}" exceeded the effective max_ttl of "${max}"; TTL value is capped accordingly`,
  ];
}
