import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "../certificates/pem-blocks.ts";
import type { Finding } from "./finding.ts";

/** Half a month: time to get another one. */
const SOON_MS = 14 * 86_400_000;

/** Looks at the certificates by which a vault is verified. */
export function checkBundle(pem: string, nowMs: number): Finding {
  const blocks = certificateBlocks(pem);
  const ends = blocks.map(endOf);
  const valid = ends.flatMap((end) => (end !== undefined && end > nowMs ? [end] : []));
  if (blocks.length === 0) return bad("Unreadable", "caBundle holds no certificate in PEM");
  const unreadable = ends.filter((end) => end === undefined).length;
  if (unreadable > 0) {
    return bad(
      "Unreadable",
      `caBundle holds ${unreadable} of ${blocks.length} that are not certificates`,
    );
  }
  if (valid.length === 0) {
    return bad(
      "Expired",
      `caBundle holds no valid certificate: the last one ended ${dateOf(ends)}`,
    );
  }
  if (Math.max(...valid) - nowMs < SOON_MS) {
    return {
      isGood: true,
      reason: "ExpiresSoon",
      message: `caBundle can be used until ${dateOf(valid)}`,
    };
  }
  const some = valid.length < ends.length;
  return some
    ? {
        isGood: true,
        reason: "SomeExpired",
        message: `${ends.length - valid.length} of ${ends.length} have expired`,
      }
    : { isGood: true, reason: "Valid", message: "caBundle can be used" };
}

/** In milliseconds since the epoch; undefined if it is not a certificate. */
function endOf(block: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(block).validTo);
  } catch {
    return undefined;
  }
}

function dateOf(ends: readonly (number | undefined)[]): string {
  return new Date(Math.max(...ends.map((end) => end ?? 0))).toISOString();
}

function bad(reason: string, message: string): Finding {
  return { isGood: false, reason, message };
}
