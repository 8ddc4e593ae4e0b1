import { readFileSync } from "node:fs";
import { loadTls, Secret, VaultError, type VaultTls } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { prepareEncryption } from "../encryption/prepare-encryption.ts";
import { type KeyEncryption, noEncryption } from "../secret/key-encryption.ts";
import type { BootstrapSettings, ReviewSettings, StatusSettings } from "../settings.ts";
import type { AuthConfigRequest } from "../store/auth-config.ts";

/** The contents of the files that the settings name. */
export interface LoadedFiles {
  readonly tls: VaultTls;
  readonly review: AuthConfigRequest;
  readonly encryption: KeyEncryption;
}

/**
 * Reads every file that the settings of `svc secretstore init` name, and tries to encrypt to the
 * holders' keys.
 * @throws BootstrapError `FILES_UNUSABLE` with every problem; `PGP_KEY_UNUSABLE` and
 * `AGE_RECIPIENT_UNUSABLE`
 *   if that is the only one
 */
export async function loadFiles(settings: BootstrapSettings): Promise<LoadedFiles> {
  const { store, review } = settings;
  const problems: string[] = [];
  const tls = attempt(problems, () => loadTls(store.tls));
  const wanted = attempt(problems, () => loadReview(review));
  const encryption = await prepareEncryption(settings.encryption).catch((error: unknown) => {
    if (!(error instanceof BootstrapError) || problems.length === 0) throw error;
    problems.push(error.message);
    return noEncryption;
  });
  if (tls === undefined || wanted === undefined) throw unusable(problems);
  return { tls, review: wanted, encryption };
}

/**
 * Reads the TLS files.
 * @throws BootstrapError `FILES_UNUSABLE` with every problem
 */
export function loadStoreTls({ store }: StatusSettings): VaultTls {
  const problems: string[] = [];
  const tls = attempt(problems, () => loadTls(store.tls));
  if (tls === undefined) throw unusable(problems);
  return tls;
}

function loadReview({ host, files }: ReviewSettings): AuthConfigRequest {
  if (files === undefined) return { host };
  const { caCertPath, reviewerTokenPath } = files;
  const problems: string[] = [];
  const { ca = [] } = attempt(problems, () => loadTls({ skipVerify: false, caCertPath })) ?? {};
  const reviewerToken = attempt(problems, () => readToken(reviewerTokenPath));
  if (problems.length > 0) {
    // loadTls names its own variable.
    const texts = problems.map((it) =>
      it.replaceAll("VAULT_CACERT", "BOOTSTRAP_KUBERNETES_CA_CERT"),
    );
    throw unusable(texts);
  }
  return { host, caPem: ca.join("\n"), reviewerToken, outside: true };
}

function readToken(path: string): Secret {
  const place = `BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: ${JSON.stringify(path)}`;
  try {
    return new Secret(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    const found = error instanceof VaultError ? "holds no token" : `cannot be read: ${code}`;
    throw unusable([`${place}: ${found}`]);
  }
}

function attempt<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof VaultError || error instanceof BootstrapError)) throw error;
    problems.push(error.message.replace(/^load (?:TLS )?files: /, ""));
    return undefined;
  }
}

function unusable(problems: readonly string[]): BootstrapError {
  return new BootstrapError("FILES_UNUSABLE", `load files: ${problems.join("; ")}`);
}
