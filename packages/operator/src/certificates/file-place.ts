import type { CertificatePlace } from "./follow-certificate.ts";
import { KeyPem } from "./key-pem.ts";
import { checkPair, isFor } from "./parse-generation.ts";

/** A certificate in files that another tool manages. */
export interface CertificateFiles {
  readonly certificatePath: string;
  readonly keyPath: string;
  /** DNS names that it must be for: those by which API servers call. */
  readonly names: readonly string[];
}

/**
 * Files as a place of the certificate to serve. They are read each time, for the kubelet changes a
 * link to their folder.
 */
export function filePlace(files: CertificateFiles): CertificatePlace {
  const { certificatePath, keyPath, names } = files;
  const find: CertificatePlace["find"] = async () => {
    const certificatePem = await Bun.file(certificatePath).text();
    const key = new KeyPem(await Bun.file(keyPath).text());
    const pair = checkPair(certificatePem, key);
    if (!pair.ok) return pair.problem;
    const missing = names.find((name) => !isFor(certificatePem, name));
    if (missing !== undefined) return `it is not for ${missing}`;
    return { ...pair.value, certificatePem, key };
  };
  return { name: certificatePath, find };
}
