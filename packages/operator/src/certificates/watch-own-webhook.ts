import { X509Certificate } from "node:crypto";
import { type Log, pause } from "@svc/logging";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { Trust } from "./try-trust.ts";
import type { OwnWebhook, WebhookTrustClient } from "./webhook-trust.ts";

/** The view of a replica on the webhooks that call it. */
export interface OwnWebhookWatch {
  /** Looks until the signal is aborted. Never rejects. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  /** Why API servers would refuse this replica; undefined if they would not, or it is not known. */
  readonly refused: () => string | undefined;
}

/** The tools of a watch. */
export interface WatchOptions {
  readonly webhooks: Pick<WebhookTrustClient, "read">;
  /** The certificate that is served, in PEM; undefined before the first. */
  readonly served: () => string | undefined;
  /** Tries the bundle of a webhook on this replica. */
  readonly tryTrust: (bundle: string) => Promise<Trust>;
  readonly log: Log;
  /** Tells people in the cluster, once in a row. */
  readonly tell: (finding: TrustFinding) => Promise<void>;
  readonly times?: Partial<WatchTimes>;
}

/** A fault, about one webhook configuration. */
export interface TrustFinding {
  readonly reason: "WebhookRefused" | "CertificateEnds";
  readonly configuration: string;
  readonly uid: string;
  readonly note: string;
}

/** From one look to the next, in milliseconds. */
export interface WatchTimes {
  /** By default 30 s. */
  readonly calmMs: number;
  /** While it would be refused, or nothing is known: by default 2 s. */
  readonly troubleMs: number;
}

const times: WatchTimes = { calmMs: 30_000, troubleMs: 2000 };
/** Tools renew a certificate at two thirds of its life. */
const LATE_PART = 1 / 4;

/** Watches the webhooks, by the eyes of their API server. */
export function watchOwnWebhook(options: WatchOptions): OwnWebhookWatch {
  const { calmMs, troubleMs } = { ...times, ...options.times };
  const trouble = unrepeatedLog(options.log);
  const late = unrepeatedLog(options.log);
  let refused: string | undefined;
  let told = "";
  const tell = async (finding: TrustFinding): Promise<void> => {
    if (finding.note === told) return;
    told = finding.note;
    await options.tell(finding);
  };
  const look = async (): Promise<boolean> => {
    const certificate = options.served();
    if (certificate === undefined) return false;
    const own = await options.webhooks.read();
    const found = await firstRefusal(own, options.tryTrust);
    if (found?.kind === "unknown") {
      trouble.say("warn", `look at the own webhook: ${found.why}`);
      return false;
    }
    refused = found?.note;
    if (found === undefined) trouble.over();
    else {
      trouble.say("error", found.note);
      await tell(found);
    }
    const [first] = own;
    const ends = first && endsSoon(certificate, Date.now());
    if (first === undefined || ends === undefined) late.over();
    else {
      late.say("warn", ends);
      await tell({ ...first, reason: "CertificateEnds", note: ends });
    }
    return found === undefined;
  };
  return {
    refused: () => refused,
    follow: async (signal) => {
      while (!signal.aborted) {
        const isCalm = await look().catch((error: unknown) => {
          const why = error instanceof Error ? error.message : "it failed";
          trouble.say("warn", `look at the own webhook: ${why}`);
          return true;
        });
        await pause(isCalm ? calmMs : troubleMs, signal);
      }
    },
  };
}

type Refusal =
  | (TrustFinding & { readonly kind: "refused" })
  | { readonly kind: "unknown"; readonly why: string };

async function firstRefusal(
  own: readonly OwnWebhook[],
  tryTrust: WatchOptions["tryTrust"],
): Promise<Refusal | undefined> {
  for (const { configuration, uid, name, bundle } of own) {
    const trust = await trustOf(bundle, tryTrust);
    if (trust.kind === "unknown") return trust;
    if (trust.kind === "trusted") continue;
    const webhook = `webhook "${name}" of configuration "${configuration}"`;
    const note = `API servers refuse this replica for ${webhook}: ${trust.why}`;
    return { kind: "refused", reason: "WebhookRefused", configuration, uid, note };
  }
  return undefined;
}

async function trustOf(bundle: string, tryTrust: WatchOptions["tryTrust"]): Promise<Trust> {
  // An empty one would stand for the authorities of the system.
  if (bundle === "") return { kind: "refused", why: "it has no CA bundle" };
  return tryTrust(bundle);
}

/** Pure: a word about a certificate whose renewal is late; undefined if it is not. */
export function endsSoon(pem: string, nowMs: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [beginsMs, endsMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (endsMs - nowMs >= (endsMs - beginsMs) * LATE_PART) return undefined;
  const ends = new Date(endsMs).toISOString();
  return `the certificate of the webhook ends at ${ends}, and nothing has renewed it`;
}
