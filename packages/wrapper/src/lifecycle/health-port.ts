import { type Failure, failure, failuresOf } from "../errors.ts";
import type { StatusView } from "../health/health-answers.ts";
import { type HealthServer, startHealthServer } from "../health/health-server.ts";
import { openHttpServer } from "../http/engine/http-server.ts";
import { reasonOf } from "../http/open-server.ts";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/**
 * The port of HEALTH_ADDR while the supervisor serves it; an unseal server does while sealed. It
 * does nothing if no server is wanted.
 */
export class HealthPort {
  readonly #settings: HealthSettings | undefined;
  readonly #log: Logger;
  readonly #view: StatusView;
  #server: HealthServer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(settings: HealthSettings | undefined, view: StatusView, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#view = view;
  }

  /**
   * Opens the port for the first time: a wrapper that cannot answer its probes must not start.
   *
   * @returns why that is impossible, if it is.
   */
  openFirst(): Failure | undefined {
    const opened = this.#start();
    if (opened.ok) return undefined;
    const [other] = failuresOf(opened.error);
    if (other?.code === "DESCRIPTOR_LIMIT") return other;
    const message = `HEALTH_ADDR ${this.#address}: listen: ${reasonOf(opened.error)}`;
    return failure("HEALTH_PORT_UNAVAILABLE", message);
  }

  /** Opens it again. If that fails it is tried again and again: the program runs already. */
  open(): void {
    clearTimeout(this.#timer);
    const opened = this.#start();
    if (opened.ok) return;
    const reason = reasonOf(opened.error);
    this.#log.error("health server cannot listen", { address: this.#address, reason });
    this.#timer = setTimeout(() => this.open(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }

  /** The port at which the supervisor listens; undefined while it does not. */
  get listens(): number | undefined {
    return this.#server?.port;
  }

  /** Something has happened: the next answers are new ones. */
  forget(): void {
    this.#server?.forget();
  }

  /** Leaves the port to another process. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#server?.stop();
    this.#server = undefined;
    this.#retryMs = FIRST_RETRY_MS;
  }

  #start(): { readonly ok: true } | { readonly ok: false; readonly error: unknown } {
    if (this.#settings === undefined || this.#server !== undefined) return { ok: true };
    try {
      this.#server = startHealthServer(this.#settings, this.#view, this.#log, openHttpServer);
      return { ok: true };
    } catch (error) {
      return { ok: false, error };
    }
  }

  get #address(): string {
    return `${this.#settings?.host}:${this.#settings?.port}`;
  }
}
