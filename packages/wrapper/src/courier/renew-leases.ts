import { type Secret, type VaultClient, VaultError } from "@svc/vault";
import type { Failure } from "../errors.ts";
import type { DueLease } from "../messages/courier-job.ts";
import type { EndingLease, LeaseLife } from "../messages/courier-message.ts";
import { vaultFailure } from "./vault-failure.ts";

/** A lease that is renewed for less than this part of its time is about to reach its maximum. */
const LEAST_PART = 0.5;

/** The outcome for the due leases. */
export interface RenewedLeases {
  readonly renewed: readonly LeaseLife[];
  readonly ending: readonly EndingLease[];
  readonly failures: readonly Failure[];
  /** True if the vault has refused one to the token. */
  readonly denied: boolean;
}

/** Renews leases; those that cannot be kept are named with the reason. */
export async function renewLeases(
  client: VaultClient,
  token: Secret,
  leases: readonly DueLease[],
): Promise<RenewedLeases> {
  const results = await Promise.all(leases.map((lease) => renewLease(client, token, lease)));
  return {
    renewed: results.flatMap((result) => (result.kind === "renewed" ? [result.lease] : [])),
    ending: results.flatMap((result) => (result.kind === "ending" ? [result.lease] : [])),
    failures: results.flatMap((result) => (result.kind === "failed" ? [result.failure] : [])),
    denied: results.some((result) => result.kind === "ending" && result.denied),
  };
}

type RenewedLease =
  | { readonly kind: "renewed"; readonly lease: LeaseLife }
  | { readonly kind: "ending"; readonly lease: EndingLease; readonly denied: boolean }
  | { readonly kind: "failed"; readonly failure: Failure };

async function renewLease(
  client: VaultClient,
  token: Secret,
  lease: DueLease,
): Promise<RenewedLease> {
  const { id, path, durationMs } = lease;
  try {
    const { ttlMs, renewable } = await client.renewLease(token, id, durationMs);
    if (ttlMs >= durationMs * LEAST_PART) {
      return { kind: "renewed", lease: { ...lease, ttlMs, renewable } };
    }
    const reason = "it is near its maximum time";
    return { kind: "ending", lease: { id, path, reason }, denied: false };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // The vault may be back in time; but it will refuse again.
    if (error.retryable) return { kind: "failed", failure: vaultFailure(error) };
    const reason = `${error.message} (${error.code})`;
    return { kind: "ending", lease: { id, path, reason }, denied: error.code === "DENIED" };
  }
}
