import { type Log, pause } from "@svc/logging";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import type { Authority } from "./generation.ts";
import { parseAuthorities } from "./parse-generation.ts";
import type { WebhookTrustClient } from "./webhook-trust.ts";

/** Which file's authorities the webhooks are called with. */
export interface PublishedFile {
  readonly path: string;
  readonly webhooks: WebhookTrustClient;
  readonly log: Log;
  readonly metrics: Pick<CertificateMetrics, "patchFailed">;
  /** How often it looks, in milliseconds; by default 10 s. */
  readonly checkMs?: number;
}

const CHECK_MS = 10_000;

/**
 * Makes the webhooks trust a file's authorities, until the signal is aborted; for the leader only.
 * The file's author decides when an
 * authority comes and goes. Never rejects.
 */
export async function publishFile(options: PublishedFile, signal: AbortSignal): Promise<void> {
  const trouble = unrepeatedLog(options.log);
  while (!signal.aborted) {
    const found = await publish(options, signal);
    if (found === undefined) trouble.over();
    else trouble.say("error", found);
    await pause(options.checkMs ?? CHECK_MS, signal);
  }
}

/** The problem; undefined if the webhooks trust the file's authorities. */
async function publish(options: PublishedFile, signal: AbortSignal): Promise<string | undefined> {
  const { path, webhooks, log, metrics } = options;
  try {
    const { authorities, unreadable } = parseAuthorities(await Bun.file(path).text());
    if (authorities.length === 0) return `trust the authorities in ${path}: there are none`;
    if (unreadable > 0) return `trust the authorities in ${path}: one of them cannot be read`;
    const others = (await webhooks.read()).filter(({ authorities: has, hasOther }) => {
      return hasOther || idsOf(has) !== idsOf(authorities);
    });
    if (others.length === 0 || signal.aborted) return undefined;
    if (await webhooks.publish(others, authorities)) {
      log("info", "the webhooks trust other authorities", { authorities: authorities.length });
    }
    return undefined;
  } catch (error) {
    metrics.patchFailed();
    return error instanceof Error ? error.message : `trust the authorities in ${path}: it failed`;
  }
}

function idsOf(authorities: readonly Authority[]): string {
  return [...new Set(authorities.map(({ id }) => id))].toSorted().join(" ");
}
