import { VaultError } from "./vault-error.ts";
import type { VaultTls } from "./vault-tls.ts";

/** TLS settings as the environment gives them: paths, not contents. */
export interface TlsPaths {
  readonly skipVerify: boolean;
  /** VAULT_CACERT: one PEM file. Wins over `caPath`, as in Vault's own client. */
  readonly caCertPath?: string | undefined;
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
  if (paths.caPath !== undefined) return loadDirectory(paths.caPath, problems);
  return undefined;
}

/** Files without a certificate (revocation lists, README) are passed over; dot files are too. */
function loadDirectory(directory: string, problems: string[]): readonly string[] | undefined {
  const variable = `VAULT_CAPATH: ${quote(directory)}`;
  const entries = attempt(variable, problems, () =>
    fileSystem().readdirSync(directory, { withFileTypes: true }),
  );
  if (entries === undefined) return undefined;
  const found = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => `${directory}/${entry.name}`)
    .sort()
    .flatMap((file) => authoritiesIn(file, problems));
  if (found.length > 0) return found;
  problems.push(`${variable}: holds no file with a PEM certificate`);
  return undefined;
}

function authoritiesIn(file: string, problems: string[]): readonly string[] {
  const text = readText("VAULT_CAPATH", file, problems);
  if (text === undefined || !text.includes("-----BEGIN CERTIFICATE-----")) return [];
  return certificatesIn(text, `VAULT_CAPATH: ${quote(file)}`, problems) ?? [];
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
  const key = readText("VAULT_CLIENT_KEY", clientKeyPath, problems);
  if (cert !== undefined) {
    certificatesIn(cert, `VAULT_CLIENT_CERT: ${quote(clientCertPath)}`, problems);
  }
  if (key !== undefined) checkKey(key, `VAULT_CLIENT_KEY: ${quote(clientKeyPath)}`, problems);
  return { cert, key };
}

function certificatesIn(
  text: string,
  where: string,
  problems: string[],
): readonly string[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) problems.push(`${where}: holds no PEM certificate`);
  const broken = blocks.findIndex((block) => !holdsDer(block));
  if (broken !== -1) problems.push(`${where}: certificate ${broken + 1} is damaged`);
  return blocks.length > 0 && broken === -1 ? blocks : undefined;
}

/** Base64 of one whole ASN.1 SEQUENCE in long form (X.690 §8.1.3.5), as every certificate is. */
function holdsDer(block: string): boolean {
  const der = Buffer.from(block.replace(/-----[^-]+-----/g, ""), "base64");
  const lengthBytes = (der[1] ?? 0) - 0x80;
  if (der[0] !== 0x30 || lengthBytes < 1 || lengthBytes > 3 || der.length < 5) return false;
  return der.length === der.readUIntBE(2, lengthBytes) + 2 + lengthBytes;
}

function checkKey(text: string, where: string, problems: string[]): void {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(text)) {
    problems.push(`${where}: is encrypted, only a plain PEM key can be used`);
  } else if (!/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(text)) {
    problems.push(`${where}: holds no PEM private key`);
  }
}

function readText(variable: string, file: string, problems: string[]): string | undefined {
  return attempt(`${variable}: ${quote(file)}`, problems, () =>
    fileSystem().readFileSync(file, "utf8"),
  );
}

function attempt<T>(where: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(`${where}: cannot be read: ${errorCode(error)}`);
    return undefined;
  }
}

/** Loaded on demand: it costs 0.9 ms of start-up, and most vaults need no file here. */
function fileSystem() {
  return process.getBuiltinModule("node:fs");
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function quote(text: string): string {
  return JSON.stringify(text);
}
