import type { CertificateStore } from "./certificate-store.ts";
import type { CertificatePlace } from "./follow-certificate.ts";

/** The Secret that the replicas share, as a place of the certificate to serve. */
export function secretPlace({ name, read }: CertificateStore): CertificatePlace {
  const find: CertificatePlace["find"] = async () => {
    const { current } = (await read()).stored;
    switch (current.kind) {
      case "empty":
        return "there is none yet";
      case "spoilt":
        return current.problem;
      case "usable":
        return current.generation;
    }
  };
  return { name, find };
}
