import { directoryNames, readWholeFile, SyscallError } from "@svc/kernel";
import { readSecretFile, type SecretBytes } from "@svc/secret-bytes";
import { judgeKeyPair } from "#judge-key-pair";
import { VaultError } from "../errors/vault-error.ts";
import { keyProblem } from "./key-problem.ts";
import { certificatesOf, isDamaged } from "./pem-certificates.ts";
import type { VaultTls } from "./vault-tls.ts";

/** Far above all public authorities together, which take a quarter of a megabyte. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** TLS settings as the environment gives them: paths, not contents. */
export interface TlsPaths {
  readonly skipVerify: boolean;
  /** VAULT_CACERT: one PEM file. Wins over `caPath`, as in Vault's own client. */
  readonly caCertPath?: string | undefined;
  /** VAULT_CACERT_BYTES: PEM text. Wins over `caPath`. */
  readonly caCertBytes?: string | undefined;
  /** VAULT_CAPATH: a directory of PEM files. */
  readonly caPath?: string | undefined;
  /** VAULT_CLIENT_CERT. */
  readonly clientCertPath?: string | undefined;
  /** VAULT_CLIENT_KEY. */
  readonly clientKeyPath?: string | undefined;
  /** VAULT_TLS_SERVER_NAME. */
  readonly serverName?: string | undefined;
}

/**
 * Reads the TLS files.
 *
 * @throws VaultError `INVALID_INPUT` that names every unusable variable and file at once.
 */
export function loadTls(paths: TlsPaths): VaultTls {
  const problems: string[] = [];
  const ca = loadAuthorities(paths, problems);
  const client = loadClientPair(paths, problems);
  if (problems.length > 0) {
    throw new VaultError("INVALID_INPUT", `load TLS files: ${problems.join("; ")}`, {
      hint: "correct the named files or leave the variables unset",
    });
  }
  return { skipVerify: paths.skipVerify, ca, ...client, serverName: paths.serverName };
}

function loadAuthorities(paths: TlsPaths, problems: string[]): readonly string[] | undefined {
  if (paths.caCertPath !== undefined) {
    const text = readText("VAULT_CACERT", paths.caCertPath, problems);
    if (text === undefined) return undefined;
    return certificatesIn(text, `VAULT_CACERT: ${quote(paths.caCertPath)}`, problems);
  }
  if (paths.caCertBytes !== undefined) {
    return certificatesIn(paths.caCertBytes, "VAULT_CACERT_BYTES", problems);
  }
  if (paths.caPath !== undefined) return loadDirectory(paths.caPath, problems);
  return undefined;
}

/** Files without a certificate (revocation lists, README) are passed over; dot files are too. */
function loadDirectory(directory: string, problems: string[]): readonly string[] | undefined {
  const variable = `VAULT_CAPATH: ${quote(directory)}`;
  const names = attempt(variable, problems, () => directoryNames(directory));
  if (names === undefined) return undefined;
  const found = names
    .filter((name) => !name.startsWith("."))
    .map((name) => `${directory}/${name}`)
    .sort()
    .flatMap((file) => authoritiesIn(file, problems));
  if (found.length > 0) return found;
  problems.push(`${variable}: holds no file with a PEM certificate`);
  return undefined;
}

function authoritiesIn(file: string, problems: string[]): readonly string[] {
  const where = `VAULT_CAPATH: ${quote(file)}`;
  const text = attempt(where, problems, () => fileOrNothing(file));
  if (text === undefined || !text.includes("-----BEGIN CERTIFICATE-----")) return [];
  return certificatesIn(text, where, problems) ?? [];
}

/** A directory in a directory holds nothing. */
function fileOrNothing(file: string): string {
  try {
    return readFileText(file);
  } catch (error) {
    if (error instanceof SyscallError && error.code === "EISDIR") return "";
    throw error;
  }
}

function loadClientPair(paths: TlsPaths, problems: string[]): Pick<VaultTls, "cert" | "key"> {
  const { clientCertPath, clientKeyPath } = paths;
  if (clientCertPath === undefined && clientKeyPath === undefined) return {};
  if (clientCertPath === undefined || clientKeyPath === undefined) {
    const [set, missing] = clientCertPath
      ? ["VAULT_CLIENT_CERT", "VAULT_CLIENT_KEY"]
      : ["VAULT_CLIENT_KEY", "VAULT_CLIENT_CERT"];
    problems.push(`${missing}: must be set together with ${set}`);
    return {};
  }
  const cert = readText("VAULT_CLIENT_CERT", clientCertPath, problems);
  const where = `VAULT_CLIENT_KEY: ${quote(clientKeyPath)}`;
  const key = attempt(where, problems, () => readSecretFile(clientKeyPath, MAX_FILE_BYTES));
  const certificate = `VAULT_CLIENT_CERT: ${quote(clientCertPath)}`;
  const chain = cert === undefined ? undefined : certificatesIn(cert, certificate, problems);
  if (key === undefined) return {};
  const problem =
    keyProblem(key, cert ?? "") ?? (chain && pairProblem(chain, key, quote(clientCertPath)));
  if (problem !== undefined) problems.push(`${where}: ${problem}`);
  return { cert, key };
}

/** A connection would fail by it, and not say why. */
function pairProblem(
  chain: readonly string[],
  key: SecretBytes,
  certificate: string,
): string | undefined {
  switch (judgeKeyPair(chain.join("\n"), key)) {
    case "fits":
      return undefined;
    case "unusable key":
      return "holds no private key that can be used, must be RSA of 2048 to 4096 bits, ECDSA over P-256, P-384 or P-521, or Ed25519";
    case "other key":
      return `holds the key of another certificate, must be that of VAULT_CLIENT_CERT ${certificate}`;
  }
}

function certificatesIn(
  text: string,
  where: string,
  problems: string[],
): readonly string[] | undefined {
  const blocks = certificatesOf(text);
  if (blocks.length === 0) problems.push(`${where}: holds no PEM certificate`);
  const broken = blocks.findIndex(isDamaged);
  if (broken !== -1) problems.push(`${where}: certificate ${broken + 1} is damaged`);
  return blocks.length > 0 && broken === -1 ? blocks : undefined;
}

function readText(variable: string, file: string, problems: string[]): string | undefined {
  return attempt(`${variable}: ${quote(file)}`, problems, () => readFileText(file));
}

function readFileText(file: string): string {
  return new TextDecoder().decode(readWholeFile(file, MAX_FILE_BYTES));
}

function attempt<T>(where: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    problems.push(`${where}: cannot be read: ${error.code}`);
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text);
}
