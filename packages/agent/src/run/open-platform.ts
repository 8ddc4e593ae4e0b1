import { giveMemoryBack } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { agentResource } from "../export/agent-resource.ts";
import { type Delivery, deliverSpool } from "../export/deliver-spool.ts";
import { encodeLogs } from "../export/encode-logs.ts";
import { grpcClient } from "../export/grpc-client.ts";
import { httpClient } from "../export/http-client.ts";
import { type PlatformSettings, readPlatformFiles } from "../export/platform-settings.ts";
import type { PlatformClient } from "../export/send-outcome.ts";
import type { PlatformFacts } from "../health/agent-facts.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { PlatformEndpoint } from "../settings/parse-platform-endpoint.ts";
import { Spool } from "../spool/spool.ts";

/** Where records go that the platform is to have. */
export interface Platform {
  /** Has the disk keep them, and sends them when it can. */
  readonly keep: (contents: readonly Uint8Array[]) => void;
  readonly facts: () => PlatformFacts;
  /**
   * Sends as many records as it can within the time, and leaves the rest on the disk for the next
   * agent.
   */
  readonly close: (withinMs: number) => Promise<void>;
}

export interface PlatformOptions {
  readonly settings: AgentSettings & { readonly endpoint: PlatformEndpoint };
  readonly node: string;
  readonly log: Log;
}

/** How long written events may be in the kernel's memory only: a power cut costs as much. */
const SYNC_INTERVAL_MS = 100;

/**
 * Opens the spool and begins to deliver.
 *
 * @throws AgentError `SPOOL_UNUSABLE`, `SPOOL_TAKEN`; `PLATFORM_HEADERS_UNUSABLE`,
 * `PLATFORM_TLS_UNUSABLE` at the start: later they are
 * failures like others
 */
export function openPlatform({ settings, node, log }: PlatformOptions): Platform {
  readPlatformFiles(settings);
  const spool = new Spool({
    folder: settings.spoolFolder,
    mostBytes: settings.spoolBytes,
    onFault: ({ action, code }) =>
      log("error", `the disk of the spool refuses to ${action}: ${code}`, {
        hint: "events that wait are kept; new ones are lost while it refuses to write",
        folder: settings.spoolFolder,
      }),
  });
  const ended = new AbortController();
  const resource = agentResource(node, settings.resourceAttributes);
  const delivery = deliverSpool({
    ...{ spool, log, signal: ended.signal },
    connect: () => connect(settings),
    onLongPause: giveMemoryBack,
    encode: (contents) => encodeLogs(contents, resource, Date.now()),
  });
  let syncing: NodeJS.Timeout | undefined;
  return {
    keep: (contents) => {
      spool.append(contents);
      delivery.wake();
      syncing ??= setTimeout(() => {
        syncing = undefined;
        void spool.syncMeanwhile();
      }, SYNC_INTERVAL_MS);
    },
    facts: () => ({
      spool: spool.counts(),
      delivery: delivery.counts(),
      oldestWaitingSeconds: oldestSeconds(spool),
    }),
    close: async (withinMs) => {
      clearTimeout(syncing);
      await emptied(spool, delivery, withinMs);
      ended.abort();
      await delivery.ended;
      spool.close();
    },
  };
}

function connect(settings: PlatformSettings): PlatformClient {
  const files = readPlatformFiles(settings);
  return settings.endpoint.protocol === "grpc"
    ? grpcClient(settings, files)
    : httpClient(settings, files);
}

/** Waits for running requests, if there can be any. */
async function emptied(spool: Spool, delivery: Delivery, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (spool.counts().waiting > 0 && performance.now() < deadlineMs) {
    if (!delivery.counts().isReachable) return;
    await Bun.sleep(20);
  }
}

function oldestSeconds(spool: Spool): number {
  const [content] = spool.peek({ records: 1, bytes: 1 }).contents;
  if (content === undefined) return 0;
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(content));
    const isRecord = typeof record === "object" && record !== null && "time" in record;
    const ageMs = Date.now() - Date.parse(isRecord ? String(record.time) : "");
    return Number.isFinite(ageMs) ? Math.max(0, ageMs / 1000) : 0;
  } catch {
    return 0;
  }
}
