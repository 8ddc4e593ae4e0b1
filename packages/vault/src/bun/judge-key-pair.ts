import type { KeyObject } from "node:crypto";
import type { JudgeKeyPair } from "../tls/key-pair.ts";

/** By OpenSSL's reading, as Bun's fetch uses them. */
export const judgeKeyPair: JudgeKeyPair = (certificates, key) => {
  const opened = privateKeyIn(key.open([]) ?? "");
  if (opened === undefined) return "unusable key";
  const { X509Certificate } = crypto();
  return new X509Certificate(certificates).checkPrivateKey(opened) ? "fits" : "other key";
};

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return crypto().createPrivateKey(pem);
  } catch {
    // Its message may quote the key.
    return undefined;
  }
}

/** Loaded on demand: few clients have a certificate. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}
