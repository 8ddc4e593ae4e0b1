import { belongTogether, judgePrivateKey } from "svc:engine";
import type { JudgeKeyPair } from "../tls/key-pair.ts";

/** By the host, which keeps the key closed. */
export const judgeKeyPair: JudgeKeyPair = (certificates, key) => {
  if (judgePrivateKey(key) !== "usable") return "unusable key";
  return belongTogether(certificates, key) ? "fits" : "other key";
};
