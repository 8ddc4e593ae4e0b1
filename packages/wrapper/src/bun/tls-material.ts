import type { SecretBytes } from "@svc/secret-bytes";
import type { TlsMaterial } from "../runtime.ts";

/** By OpenSSL's reading, as Bun serves TLS with it. */
export const tlsMaterial: TlsMaterial = {
  areCertificates: (pem) => succeeds(() => certificatesIn(pem)),
  judgePrivateKey(pem) {
    const text = textOf(pem);
    if (!text.includes("-----BEGIN ")) return "no PEM text";
    return succeeds(() => crypto().createPrivateKey(text)) ? "usable" : "unusable";
  },
  belongTogether(certificates, key) {
    const [leaf] = certificatesIn(certificates);
    return leaf?.checkPrivateKey(crypto().createPrivateKey(textOf(key))) ?? false;
  },
};

/** @throws where one of the blocks is no certificate, or there is none. */
function certificatesIn(pem: string) {
  const { X509Certificate } = crypto();
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError("no certificate");
  return blocks.map((block) => new X509Certificate(block));
}

function textOf(pem: SecretBytes): string {
  return pem.open([]) ?? "";
}

function succeeds(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}

/** Loaded on demand: most wrappers serve plain HTTP. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}
