import { type Secret, type VaultClient, VaultError } from "@svc/vault";
import type { CheckJob, DueLease, WatchedPath } from "../courier-job.ts";
import type { CheckResult, EndingLease, LeaseLife } from "../courier-message.ts";
import { type Failure, failuresOf } from "../errors.ts";
import { briefRetry, connect } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { keepToken } from "./keep-token.ts";
import { readSources } from "./read-sources.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { secretsState } from "./secrets-state.ts";
import { readSession, type Session } from "./session-region.ts";
import { vaultFailure } from "./vault-failure.ts";

/** A lease that is renewed for less than this part of its time is about to reach its maximum. */
const LEAST_PART = 0.5;

/**
 * Renews what is due and looks for changes.
 *
 * @throws WrapperError, VaultError where there is no token to work with; single failures are in the
 * result.
 */
export async function check(context: CourierContext, job: CheckJob): Promise<void> {
  const session = readSession(context);
  const client = connect(context, briefRetry);
  const { token, life, loggedIn } = await keepToken(context, session, client, job);
  const [leases, changes] = await Promise.all([
    renewLeases(client, token, job.leases),
    findChanges({ context, session, client, token }, job),
  ]);
  context.say({
    kind: "checked",
    ...(life === undefined ? {} : { token: life }),
    loggedIn,
    renewedLeases: leases.renewed,
    endingLeases: leases.ending,
    watched: changes.watched,
    changed: changes.changed,
    failures: [...leases.failures, ...changes.failures],
  });
}

interface RenewedLeases {
  readonly renewed: readonly LeaseLife[];
  readonly ending: readonly EndingLease[];
  readonly failures: readonly Failure[];
}

async function renewLeases(
  client: VaultClient,
  token: Secret,
  leases: readonly DueLease[],
): Promise<RenewedLeases> {
  const results = await Promise.all(leases.map((lease) => renewLease(client, token, lease)));
  return {
    renewed: results.flatMap((result) => (result.kind === "renewed" ? [result.lease] : [])),
    ending: results.flatMap((result) => (result.kind === "ending" ? [result.lease] : [])),
    failures: results.flatMap((result) => (result.kind === "failed" ? [result.failure] : [])),
  };
}

type RenewedLease =
  | { readonly kind: "renewed"; readonly lease: LeaseLife }
  | { readonly kind: "ending"; readonly lease: EndingLease }
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
    return { kind: "ending", lease: { id, path, reason: "it is near its maximum time" } };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // The vault may be back in time; what it has refused it will refuse again.
    if (error.retryable) return { kind: "failed", failure: vaultFailure(error) };
    return { kind: "ending", lease: { id, path, reason: `${error.message} (${error.code})` } };
  }
}

/** Who looks, and with what. */
interface Look {
  readonly context: CourierContext;
  readonly session: Session;
  readonly client: VaultClient;
  readonly token: Secret;
}

type Changes = Pick<CheckResult, "watched" | "changed" | "failures">;

/** Asks for versions first, and for values only where a version has changed or there is none. */
async function findChanges(look: Look, job: CheckJob): Promise<Changes> {
  const looked = await Promise.all(job.watched.map((path) => lookAt(path, look)));
  const failures = looked.flatMap(({ failure }) => failure ?? []);
  const watched = looked.map(({ path }) => path);
  if (failures.length > 0) return { watched: job.watched, changed: false, failures };
  if (looked.every(({ suspicious }) => !suspicious)) return { watched, changed: false, failures };
  return compareValues(look, job, watched);
}

interface LookedAt {
  readonly path: WatchedPath;
  /** True where only the values can tell. */
  readonly suspicious: boolean;
  readonly failure?: Failure;
}

async function lookAt(path: WatchedPath, { client, token }: Look): Promise<LookedAt> {
  if (path.by === "values") return { path, suspicious: true };
  try {
    const { currentVersion, versions } = await client.readMetadata(token, path.path);
    const createdTime = versions.get(currentVersion)?.createdTime;
    const same = currentVersion === path.version && createdTime === path.createdTime;
    return { path, suspicious: !same };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // The policy is for values only: from now on they are compared.
    if (error.code === "DENIED") return { path: { ...path, by: "values" }, suspicious: true };
    return { path, suspicious: false, failure: vaultFailure(error) };
  }
}

/** Reads the values and compares their digest. They stay in this process. */
async function compareValues(
  { context, session, client, token }: Look,
  job: CheckJob,
  watched: readonly WatchedPath[],
): Promise<Changes> {
  const settings = context.brief.settings.secrets;
  const sources = settings.sources.filter(({ dynamic }) => dynamic === undefined);
  const outcomes = await readSources(client, token, sources);
  try {
    const entries = resolveSecrets({ ...settings, sources }, outcomes);
    const state = secretsState({ sources, outcomes, entries }, session.digestKey);
    const byPath = new Map(watched.map((path) => [path.path, path.by]));
    return {
      watched: state.watched.map((path) => ({ ...path, by: byPath.get(path.path) ?? path.by })),
      changed: state.digest !== job.digest,
      failures: [],
    };
  } catch (error) {
    return { watched: job.watched, changed: false, failures: failuresOf(error) };
  }
}
