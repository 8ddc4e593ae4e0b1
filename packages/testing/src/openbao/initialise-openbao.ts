import { TestingError } from "../errors.ts";
import { waitFor } from "../wait-for.ts";
import { answerText, type BaoTarget, callBao } from "./bao-api.ts";

/** The result of an initialisation with one share. */
export interface Initialised {
  readonly rootToken: string;
  readonly unsealKey: string;
}

/** Initialises a fresh server with one key share, unseals it, and waits until it is active. */
export async function initialiseOpenBao(
  target: BaoTarget,
  deadlineMs: number,
): Promise<Initialised> {
  const shares = { secret_shares: 1, secret_threshold: 1 };
  const init = await callBao(target, { method: "PUT", path: "sys/init", body: shares });
  const keys = init?.["keys_base64"];
  const unsealKey: unknown = Array.isArray(keys) ? keys[0] : undefined;
  if (typeof unsealKey !== "string") {
    throw new TestingError("BAD_ANSWER", "initialise the server: the answer has no key share");
  }
  await unsealBao(target, unsealKey, deadlineMs);
  return { rootToken: answerText(init, "root_token"), unsealKey };
}

/** Seals the server. */
export async function sealBao(target: BaoTarget): Promise<void> {
  await callBao(target, { method: "PUT", path: "sys/seal" });
}

/** Unseals the server with its one key and waits until it is active. */
export async function unsealBao(
  target: BaoTarget,
  key: string,
  deadlineMs = 10_000,
): Promise<void> {
  await callBao(target, { method: "PUT", path: "sys/unseal", body: { key } });
  await waitFor(async () => (await healthCode(target)) === 200, {
    deadlineMs,
    what: `${target.address} to be active`,
  });
}

/** The status of `sys/health`; undefined while nothing answers. */
export async function healthCode(target: BaoTarget): Promise<number | undefined> {
  try {
    const tls = target.caPem === undefined ? {} : { tls: { ca: target.caPem } };
    return (await fetch(`${target.address}/v1/sys/health`, tls)).status;
  } catch {
    // Not listening yet; the caller has a deadline.
    return undefined;
  }
}
