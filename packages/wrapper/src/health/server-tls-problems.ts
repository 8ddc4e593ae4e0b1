import { readWholeFile, SyscallError } from "@svc/kernel";
import { readSecretFile, type SecretBytes } from "@svc/secret-bytes";
import { type Problem, problem } from "@svc/settings";
import type { TlsMaterial } from "../runtime.ts";
import type { HealthSettings } from "../settings.ts";

const MAX_PEM_BYTES = 1 << 20;

type TlsPaths = NonNullable<HealthSettings["tls"]>;

/**
 * The problems of the files of SVC_BROKER_TLS_CERT, _KEY and _CA, all at once. A file can be
 * missing, a folder, unreadable or of another kind. A key can be that of another certificate.
 *
 * @param material judges the texts.
 */
export function serverTlsProblems(paths: TlsPaths, material: TlsMaterial): readonly Problem[] {
  const certificates = (variable: string, name: string) => certificatesOf(material, variable, name);
  const certificate = look(paths.certPath, certificates("SVC_BROKER_TLS_CERT", "certificates"));
  const key = look(paths.keyPath, privateKeyOf(material));
  const found: Looked<unknown>[] = [certificate, key];
  const { clientCaPath } = paths;
  if (clientCaPath !== undefined) {
    found.push(look(clientCaPath, certificates("SVC_BROKER_TLS_CA", "CA certificates")));
  }
  const problems = found.flatMap((file) => ("problem" in file ? [file.problem] : []));
  if ("problem" in certificate || "problem" in key) return problems;
  const fit = material.belongTogether(certificate.content, key.content);
  return fit ? problems : [...problems, mismatch(paths)];
}

type Looked<T> = { readonly content: T } | { readonly problem: Problem };

/** A kind of file in PEM format. */
interface Kind<T> {
  readonly variable: string;
  /** The required content. */
  readonly name: string;
  read(path: string): T;
  /** Its problem; undefined if there is none. Repeats nothing of a key. */
  complaint(content: T): string | undefined;
}

function certificatesOf(material: TlsMaterial, variable: string, name: string): Kind<string> {
  return {
    variable,
    name,
    read: (path) => new TextDecoder().decode(readWholeFile(path, MAX_PEM_BYTES)),
    complaint(pem) {
      if (!pem.includes("-----BEGIN ")) return NO_PEM;
      return material.areCertificates(pem) ? undefined : `holds no ${name}`;
    },
  };
}

const NO_PEM = "holds no PEM text";

function privateKeyOf(material: TlsMaterial): Kind<SecretBytes> {
  return {
    variable: "SVC_BROKER_TLS_KEY",
    name: "a private key",
    read: (path) => readSecretFile(path, MAX_PEM_BYTES),
    complaint(pem) {
      switch (material.judgePrivateKey(pem)) {
        case "usable":
          return undefined;
        case "no PEM text":
          return NO_PEM;
        case "unusable":
          return "holds no private key of RSA, P-256, P-384, P-521 or Ed25519 without a passphrase";
      }
    },
  };
}

function look<T>(path: string, { variable, name, read, complaint }: Kind<T>): Looked<T> {
  const wanted = `a file of ${name} in PEM format`;
  const wrong = (what: string) => {
    const found = `${JSON.stringify(path)} ${what}`;
    return { problem: problem({ variable, wanted, found }) };
  };
  try {
    const content = read(path);
    const complained = complaint(content);
    return complained === undefined ? { content } : wrong(complained);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return wrong(reasonOf(error));
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

function mismatch({ certPath, keyPath }: TlsPaths): Problem {
  return problem({
    variable: "SVC_BROKER_TLS_KEY",
    wanted: `the private key of the certificate in SVC_BROKER_TLS_CERT, ${JSON.stringify(certPath)}`,
    found: `${JSON.stringify(keyPath)} is another one's`,
  });
}
