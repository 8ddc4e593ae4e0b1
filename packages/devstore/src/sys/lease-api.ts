import { answer, type TokenCall, timeText } from "../http/call.ts";
import { durationMsField, stringField, validated } from "../http/fields.ts";
import { errors, type Lease, noContent, type StoreResponse } from "../http/responses.ts";
import { refuse } from "../model/errors.ts";
import {
  type IssuedLease,
  type LeasedSecret,
  leaseSecondsLeft,
  renewLease,
} from "../model/leases.ts";
import { findLease } from "../model/store-state.ts";

/**
 * `GET dev-lease/<name>`: the value with a fresh lease. This engine is ours, OpenBao has none like
 * it.
 */
export function readLeased(call: TokenCall): StoreResponse {
  const secret = call.state.leased.get(call.rest);
  if (secret === undefined) return errors(404);
  call.state.leasesIssued += 1;
  const lease = issue(call, secret);
  call.state.leases.set(lease.id, lease);
  const { data } = secret;
  const fields = typeof data === "function" ? data(call.state.leasesIssued) : data;
  return answer(call, { data: fields, lease: leaseView(lease, call.now) });
}

/** `POST sys/leases/lookup` with `lease_id`. */
export function lookupLease(call: TokenCall): StoreResponse {
  const lease = findLease(call.state, leaseId(call), call.now) ?? refuse(400, "invalid lease");
  const data = {
    expire_time: timeText(lease.expiresMs),
    id: lease.id,
    issue_time: timeText(lease.issuedMs),
    last_renewal: lease.renewedMs === undefined ? null : timeText(lease.renewedMs),
    path: lease.path,
    renewable: lease.renewable,
    ttl: leaseSecondsLeft(lease, call.now),
  };
  return answer(call, { data });
}

/** `POST sys/leases/renew` with `lease_id` and an optional `increment`. */
export function renewLeaseById(call: TokenCall): StoreResponse {
  const lease = findLease(call.state, leaseId(call), call.now) ?? refuse(400, "lease not found");
  const incrementMs = validated(() => durationMsField(call.body, "increment")) ?? 0;
  if (!lease.renewable) refuse(400, "lease is not renewable");
  const renewed = renewLease(lease, incrementMs, call.now);
  call.state.leases.set(renewed.id, renewed);
  return answer(call, { lease: leaseView(renewed, call.now) });
}

/** `POST sys/leases/revoke` with `lease_id`; an unknown lease is as good as revoked. */
export function revokeLease(call: TokenCall): StoreResponse {
  call.state.leases.delete(leaseId(call));
  return noContent();
}

function leaseId(call: TokenCall): string {
  const id = stringField(call.body, "lease_id") || call.rest;
  return id === "" ? refuse(400, "lease_id must be specified") : id;
}

function issue(call: TokenCall, secret: LeasedSecret): IssuedLease {
  return {
    id: `${call.request.path}/${call.state.random.letters()}`,
    path: call.request.path,
    owner: call.token.id,
    issuedMs: call.now,
    renewedMs: undefined,
    expiresMs: call.now + secret.ttlMs,
    ttlMs: secret.ttlMs,
    maxTtlMs: secret.maxTtlMs ?? secret.ttlMs * DEFAULT_MAX_FACTOR,
    renewable: secret.renewable ?? true,
  };
}

const DEFAULT_MAX_FACTOR = 10;

function leaseView(lease: IssuedLease, now: number): Lease {
  return {
    id: lease.id,
    renewable: lease.renewable,
    durationSeconds: leaseSecondsLeft(lease, now),
  };
}
