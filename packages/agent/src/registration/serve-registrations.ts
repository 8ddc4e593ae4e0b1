import { raiseDescriptorLimit } from "@svc/kernel";
import type { Log } from "@svc/logging";
import type { RegistrationRules } from "./authority.ts";
import type { SocketListener } from "./open-listener.ts";
import { readProcess } from "./process-facts.ts";
import { RateLimit } from "./rate-limit.ts";
import type { RegistrationContext } from "./registration-stream.ts";
import type { Registry } from "./registry.ts";
import { type RegistrationListener, serveSocket } from "./serve-socket.ts";
import { serveTcp, type TcpOptions } from "./serve-tcp.ts";

/** How registrations are taken. */
export interface RegistrationOptions extends RegistrationContext {
  /** Unix sockets. They are closed with the server, and if it cannot begin. */
  readonly sockets: readonly SocketListener[];
  /** The callers that may register, outside of pods. */
  readonly rules: RegistrationRules;
  /** Undefined if none are taken over TCP. */
  readonly tcp?: TcpOptions;
  /** Called some seconds after registrations have changed, when they do no more. */
  readonly onQuiet?: () => void;
}

/** Where registrations are taken. */
export interface RegistrationServer {
  /** Undefined if none are taken over TCP. */
  readonly tcpPort: number | undefined;
  /** Connections that were turned away because there were too many. */
  readonly turnedAway: () => number;
  /** Ends all streams; protected processes stay protected. */
  readonly stop: () => Promise<void>;
}

const SWEEP_EVERY_MS = 1_000;
const SWEPT_AT_ONCE = 500;
const QUIET_MS = 3_000;
const warningRate = { burst: 64, perSecond: 4 };

/**
 * Takes registrations of wrappers: at a unix socket, at which the kernel names the caller, and over
 * TCP, by a token or a certificate. The registry then tells which wrapper a process belongs to.
 *
 * @throws AgentError `REGISTRATION_ADDRESS_UNUSABLE`, `REGISTRATION_TLS_UNUSABLE`
 */
export async function serveRegistrations(
  options: RegistrationOptions,
): Promise<RegistrationServer> {
  const { sockets, rules, tcp, registry, tokens } = options;
  const context = { ...options, log: withoutFloods(options.log) };
  // Three for each connection.
  raiseDescriptorLimit();
  const listeners: RegistrationListener[] = [];
  const sweep = new Sweep(registry);
  const timer = setInterval(() => {
    sweep.some();
    tokens.sweep();
  }, SWEEP_EVERY_MS);
  timer.unref();
  const unfollow = registry.onChange(afterQuiet(options.onQuiet));
  const stop = async (): Promise<void> => {
    unfollow();
    clearInterval(timer);
    await Promise.all(listeners.map((listener) => listener.stop()));
  };
  const turnedAway = () => listeners.reduce((sum, listener) => sum + listener.turnedAway(), 0);
  try {
    for (const listener of sockets) listeners.push(serveSocket(context, { listener, rules }));
    if (tcp === undefined) return { tcpPort: undefined, turnedAway, stop };
    const listener = await serveTcp(context, tcp);
    listeners.push(listener);
    return { tcpPort: listener.port, turnedAway, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Strangers cause warnings as well: they must not fill the log. */
function withoutFloods(log: Log): Log {
  const rate = new RateLimit(warningRate);
  return (level, message, fields) => {
    if (level !== "warn" || rate.take()) log(level, message, fields);
  };
}

function afterQuiet(onQuiet: () => void = () => undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(onQuiet, QUIET_MS);
    timer.unref();
  };
}

/**
 * Finds out which processes have ended, some at a time: pidfds of all would be as many descriptors.
 */
class Sweep {
  readonly #registry: Registry;
  #rest: ReturnType<Registry["processes"]> = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  some(): void {
    if (this.#rest.length === 0) this.#rest = this.#registry.processes();
    for (const process of this.#rest.slice(0, SWEPT_AT_ONCE)) {
      if (readProcess(process.pid)?.startTicks !== process.startTicks)
        this.#registry.remove(process);
    }
    this.#rest = this.#rest.slice(SWEPT_AT_ONCE);
    this.#registry.forget();
  }
}
