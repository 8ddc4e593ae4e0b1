import { type Secret, type VaultClient, VaultError } from "@svc/vault";
import { type Failure, failuresOf } from "../errors.ts";
import type { CheckJob, WatchedPath } from "../messages/courier-job.ts";
import type { CheckResult } from "../messages/courier-message.ts";
import { engineOf } from "../settings/engine-traits.ts";
import type { SecretSettings } from "../settings.ts";
import { type JudgedVersion, judgeVersion } from "./judge-version.ts";
import { olderVersion } from "./older-version.ts";
import { readPlaces, readSources } from "./read-sources.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { fileDigest, secretsState } from "./secrets-state.ts";
import type { Session } from "./session-region.ts";
import { sourceFailure } from "./source-outcome.ts";
import { vaultFailure } from "./vault-failure.ts";

/** The inputs of a check. */
export interface Look {
  readonly secrets: SecretSettings;
  readonly session: Pick<Session, "digestKey">;
  /** Undefined without a vault. */
  readonly access: VaultAccess | undefined;
}

/** A token of a vault. */
export interface VaultAccess {
  readonly client: Pick<VaultClient, "readMetadata" | "readSecrets">;
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

async function lookAt(path: WatchedPath, look: Look): Promise<LookedAt> {
  switch (path.by) {
    case "values":
      return { path, suspicious: true };
    case "file":
      return lookAtFile(path, look);
    case "metadata":
      return lookAtMetadata(path, accessOf(look));
  }
}

/** The file is read here, and again with all others if it has changed. */
async function lookAtFile(path: WatchedPath, { session }: Look): Promise<LookedAt> {
  const { readFiles } = await import("../files/read-files.ts");
  const [outcome] = readFiles([path]);
  if (outcome === undefined) return { path, suspicious: true };
  if (!outcome.ok) return { path, suspicious: false, failure: sourceFailure(outcome.error) };
  return { path, suspicious: fileDigest(outcome.secret, session.digestKey) !== path.digest };
}

async function lookAtMetadata(
  path: WatchedPath,
  { client, token }: VaultAccess,
): Promise<LookedAt> {
  try {
    return judgeVersion(path, await client.readMetadata(token, path.path), Date.now());
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // The policy is for values only: from now on they are compared.
    if (error.code === "DENIED") return { path: { ...path, by: "values" }, suspicious: true };
    return { path, suspicious: false, failure: vaultFailure(error) };
  }
}

/** Only secrets of a vault ask for it. */
function accessOf({ access }: Look): VaultAccess {
  if (access === undefined) throw new TypeError("every secret is a file");
  return access;
}

/** Reads the values and compares their digest. They stay in this process. */
async function compareValues(
  look: Look,
  job: CheckJob,
  watched: readonly WatchedPath[],
): Promise<Changes> {
  const { secrets, session } = look;
  const sources = secrets.sources.filter((source) => engineOf(source).canBeReread);
  const outcomes = await readPlaces(sources, {
    vault: (inVault) => {
      const { client, token } = accessOf(look);
      return readSources(client, token, inVault);
    },
    files: async (files) => (await import("../files/read-files.ts")).readFiles(files),
  });
  try {
    const { entries, files } = resolveSecrets({ ...secrets, sources }, outcomes);
    const state = secretsState({ sources, outcomes, entries, files }, session.digestKey);
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
