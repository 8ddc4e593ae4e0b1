import { type HealthServer, startHealthServer } from "../health/health-server.ts";
import { renderMetrics } from "../health/metrics.ts";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";
import type { Status } from "./status.ts";

// The program does not wait for the health server: the server waits a moment for the program.
const DELAY_MS = 25;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/** The port of HEALTH_ADDR while the supervisor serves it; a gatekeeper does while sealed. */
export class HealthPort {
  readonly #start: () => HealthServer | undefined;
  #server: HealthServer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(settings: HealthSettings, status: Status, log: Logger) {
    const view = {
      readiness: () => status.readiness(),
      metrics: () => renderMetrics(status.facts()),
    };
    this.#start = () => startHealthServer(settings, view, log);
  }

  /** Opens the port after a moment, or with the program if that comes first. */
  openSoon(): void {
    this.#timer ??= setTimeout(() => this.open(), DELAY_MS);
  }

  /** Where somebody else has the port, or a certificate does not fit its key, it is tried again. */
  open(): void {
    clearTimeout(this.#timer);
    this.#server ??= this.#start();
    if (this.#server !== undefined) return;
    this.#timer = setTimeout(() => this.open(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }

  /** Leaves the port to somebody else. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#server?.stop();
    this.#server = undefined;
    this.#retryMs = FIRST_RETRY_MS;
  }
}
