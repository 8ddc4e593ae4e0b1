import { type Secret, type VaultClient, VaultError } from "@svc/vault";
import { type Failure, failuresOf } from "../errors.ts";
import type { CheckJob, WatchedPath } from "../messages/courier-job.ts";
import type { CheckResult } from "../messages/courier-message.ts";
import { engineOf } from "../settings/engine-traits.ts";
import type { CourierContext } from "./courier-context.ts";
import { type JudgedVersion, judgeVersion } from "./judge-version.ts";
import { olderVersion } from "./older-version.ts";
import { readSources } from "./read-sources.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { secretsState } from "./secrets-state.ts";
import type { Session } from "./session-region.ts";
import { vaultFailure } from "./vault-failure.ts";

/** The inputs of a check. */
export interface Look {
  readonly context: CourierContext;
  readonly session: Session;
  readonly client: VaultClient;
  readonly token: Secret;
}

/** The result of a check. */
export interface Changes extends Pick<CheckResult, "watched" | "changed" | "older" | "failures"> {
  /** True if the vault has refused a secret to the token. */
  readonly denied: boolean;
}

/** Asks for versions first, and for values only if a version has changed or there is none. */
export async function findChanges(look: Look, job: CheckJob): Promise<Changes> {
  const looked = await Promise.all(job.watched.map((path) => lookAt(path, look)));
  const failures = looked.flatMap(({ failure }) => failure ?? []);
  const watched = looked.map(({ path }) => path);
  const older = looked.some((path) => path.older);
  const unchanged = { changed: false, older, denied: false, failures };
  if (failures.length > 0) return { ...unchanged, watched: job.watched };
  if (looked.every(({ suspicious }) => !suspicious)) return { ...unchanged, watched };
  if (older && !job.mayGoBack) return { ...unchanged, watched: job.watched };
  return compareValues(look, job, watched);
}

interface LookedAt extends JudgedVersion {
  readonly failure?: Failure;
}

async function lookAt(path: WatchedPath, { client, token }: Look): Promise<LookedAt> {
  if (path.by === "values") return { path, suspicious: true };
  try {
    return judgeVersion(path, await client.readMetadata(token, path.path), Date.now());
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
  const settings = context.jobMessage.settings.secrets;
  const sources = settings.sources.filter((source) => engineOf(source).canBeReread);
  const outcomes = await readSources(client, token, sources);
  try {
    const entries = resolveSecrets({ ...settings, sources }, outcomes);
    const state = secretsState({ sources, outcomes, entries }, session.digestKey);
    const older = olderVersion(job.watched, state.watched) !== undefined;
    if (older && !job.mayGoBack) {
      return { watched: job.watched, changed: false, older, denied: false, failures: [] };
    }
    const byPath = new Map(watched.map((path) => [path.path, path.by]));
    return {
      watched: state.watched.map((path) => ({ ...path, by: byPath.get(path.path) ?? path.by })),
      changed: state.digest !== job.digest,
      older,
      denied: false,
      failures: [],
    };
  } catch (error) {
    const denied = outcomes.some((outcome) => !outcome.ok && outcome.error.code === "DENIED");
    const failures = failuresOf(error);
    return { watched: job.watched, changed: false, older: false, denied, failures };
  }
}
