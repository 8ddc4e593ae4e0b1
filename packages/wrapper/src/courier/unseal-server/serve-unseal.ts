import type { Secret } from "@svc/vault";
import type { HealthView } from "../../health/health-answers.ts";
import type { UnsealAttempt } from "../../health/wrapper-facts.ts";
import { AddressBuckets } from "../../http/address-buckets.ts";
import { addressGroup } from "../../http/address-group.ts";
import { errorCode, type OpenHttpServer } from "../../http/http-server.ts";
import { nodeAddresses } from "../../http/node-addresses.ts";
import { type OpenServer, openServer, reasonOf } from "../../http/open-server.ts";
import type { Logger } from "../../log.ts";
import type { HealthSettings } from "../../settings.ts";
import { FAILED_TRIES, type TokenCheck, type UnsealedBy, UnsealService } from "./unseal-service.ts";

/** The inputs of an unseal server. */
export interface UnsealOptions {
  readonly settings: HealthSettings;
  /** The source of the answers to probes and Prometheus. */
  readonly view: HealthView;
  /** Tries a token at the vault. If it is accepted, it is in use when this resolves. */
  readonly check: (token: Secret) => Promise<TokenCheck>;
  /** Called for every POST /v1/unseal, to be counted. */
  readonly onAttempt?: (attempt: UnsealAttempt) => void;
  readonly log: Logger;
  readonly openHttpServer: OpenHttpServer;
  /** Ends the service without a token: serveUnseal then throws its reason. */
  readonly signal?: AbortSignal;
}

const RETRY_LISTEN_MS = 100;

/**
 * Serves the health port of a sealed wrapper until a token was brought that works. When it
 * resolves, the client has its answer and the port is free.
 *
 * Waits for a port that is in use, and logs it once: without the port no client can ever send a
 * token.
 */
export async function serveUnseal(options: UnsealOptions): Promise<UnsealedBy> {
  const { settings, view, check, log, signal } = options;
  const accepted = Promise.withResolvers<UnsealedBy>();
  const answered = Promise.withResolvers<void>();
  const abort = () => accepted.reject(signal?.reason);
  const nodes = new Set(nodeAddresses(settings.nodeIp).map(addressGroup));
  const service = new UnsealService({
    view,
    isNode: (group) => nodes.has(group),
    wantsCertificate: settings.tls?.clientCaPath !== undefined,
    limit: new AddressBuckets(FAILED_TRIES, () => performance.now()),
    check,
    onAttempt: (attempt, { address }) => {
      options.onAttempt?.(attempt);
      log[attempt === "accepted" ? "info" : "warn"]("unseal attempt", { result: attempt, address });
    },
    onAccepted: accepted.resolve,
    onAnswered: answered.resolve,
  });
  const server = await openWhenFree(service, options);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    const by = await accepted.promise;
    // From here on the next process may listen; clients inside still get an answer.
    server.close();
    await answered.promise;
    return by;
  } finally {
    signal?.removeEventListener("abort", abort);
    server.stop();
  }
}

async function openWhenFree(
  service: UnsealService,
  { settings, log, openHttpServer, signal }: UnsealOptions,
): Promise<OpenServer> {
  for (let tries = 0; ; tries += 1) {
    try {
      const server = openServer({ settings, service, log, openHttpServer, takesSecrets: true });
      log.info("sealed: waiting for POST /v1/unseal", {
        address: server.address,
        port: server.port,
      });
      return server;
    } catch (error) {
      // Files that cannot be read and addresses that are not ours do not mend themselves.
      if (errorCode(error) !== "EADDRINUSE") throw error;
      const address = `${settings.host}:${settings.port}`;
      // The supervisor releases the port at about the same time: the first refusals mean nothing.
      if (tries === 10)
        log.error("sealed, and cannot listen", { address, reason: reasonOf(error) });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_LISTEN_MS));
    signal?.throwIfAborted();
  }
}
