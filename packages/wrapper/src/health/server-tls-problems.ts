import { readWholeFile, SyscallError } from "@svc/kernel";
import { type Problem, problem } from "@svc/settings";
import type { HealthSettings } from "../settings.ts";

const MAX_PEM_BYTES = 1 << 20;

type TlsPaths = NonNullable<HealthSettings["tls"]>;

/**
 * What is wrong with the files of SVC_BROKER_TLS_CERT, _KEY and _CA: a file that is missing, a folder,
 * one that cannot be read, holds something else, or a key of another certificate. All at once.
 */
export function serverTlsProblems(paths: TlsPaths): readonly Problem[] {
  const certificate = look("SVC_BROKER_TLS_CERT", paths.certPath, "certificates", toCertificates);
  const key = look("SVC_BROKER_TLS_KEY", paths.keyPath, "a private key", toPrivateKey);
  const found = [certificate, key];
  const { clientCaPath } = paths;
  if (clientCaPath !== undefined) {
    found.push(look("SVC_BROKER_TLS_CA", clientCaPath, "CA certificates", toCertificates));
  }
  const problems = found.flatMap((file) => ("problem" in file ? [file.problem] : []));
  if ("problem" in certificate || "problem" in key) return problems;
  const [leaf] = certificate.content;
  return leaf?.checkPrivateKey(key.content) === true ? problems : [...problems, mismatch(paths)];
}

type Looked<T> = { readonly content: T } | { readonly problem: Problem };

/** Reads a file as PEM text of a kind. The text of a key is repeated nowhere. */
function look<T>(
  variable: string,
  path: string,
  kind: string,
  parse: (pem: string) => T,
): Looked<T> {
  const wanted = `a file of ${kind} in PEM format`;
  const wrong = (what: string) => {
    const found = `${JSON.stringify(path)} ${what}`;
    return { problem: problem({ variable, wanted, found }) };
  };
  try {
    const text = new TextDecoder().decode(readWholeFile(path, MAX_PEM_BYTES));
    if (!text.includes("-----BEGIN ")) return wrong("holds no PEM text");
    return { content: parse(text) };
  } catch (error) {
    return wrong(error instanceof SyscallError ? reasonOf(error) : `holds no ${nameOf(kind)}`);
  }
}

function reasonOf({ code, message }: SyscallError): string {
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "EISDIR":
      return "is a folder";
    case "EACCES":
      return "cannot be read: permission denied";
    case "EFBIG":
      return `is longer than ${MAX_PEM_BYTES} bytes`;
    default:
      return `cannot be read: ${message}`;
  }
}

function nameOf(kind: string): string {
  return kind === "a private key" ? "private key that can be used without a passphrase" : kind;
}

/** @throws where one of the blocks is no certificate, or there is none. */
function toCertificates(pem: string) {
  const { X509Certificate } = crypto();
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError("no certificate");
  return blocks.map((block) => new X509Certificate(block));
}

/** @throws where there is none, or it is encrypted. */
function toPrivateKey(pem: string) {
  return crypto().createPrivateKey(pem);
}

/** Loaded on demand: most wrappers serve plain HTTP. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}

function mismatch({ certPath, keyPath }: TlsPaths): Problem {
  return problem({
    variable: "SVC_BROKER_TLS_KEY",
    wanted: `the private key of the certificate in SVC_BROKER_TLS_CERT, ${JSON.stringify(certPath)}`,
    found: `${JSON.stringify(keyPath)} is another one's`,
  });
}
