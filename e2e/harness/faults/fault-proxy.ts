import { ProxiedConnection } from "./proxied-connection.ts";
import type { RequestFault } from "./request-fault.ts";

/** The proxy's callbacks. */
export interface FaultProxyOptions {
  /** The loopback port of the vault that the next connection goes to. */
  readonly vaultPort: () => number;
  /** Asked once for each request, with its first line; undefined lets it through. */
  readonly faultOf: (line: string) => RequestFault | undefined;
  /** Gets the bytes of the vault's answers. */
  readonly onAnswer?: (bytes: Buffer) => void;
}

/**
 * Stands between wrappers and a vault, and delays, cuts and refuses requests as networks and vaults
 * do.
 */
export interface FaultProxy extends AsyncDisposable {
  readonly address: string;
  /** Requests so far. */
  readonly requests: () => number;
  /** Resets every connection and refuses new ones, until `accept`. */
  readonly refuse: () => void;
  /** Listens again, on the same port. */
  readonly accept: () => void;
  /** Lets no byte through in either direction, until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
}

/** Starts the proxy on a free loopback port. It speaks HTTP/1.1 without TLS. */
export function faultProxy(options: FaultProxyOptions): FaultProxy {
  const connections = new Set<ProxiedConnection>();
  let requests = 0;
  let gate: PromiseWithResolvers<void> | undefined;
  const surroundings = {
    ...options,
    faultOf: (line: string) => {
      requests += 1;
      return options.faultOf(line);
    },
    passes: () => gate?.promise,
    onEnd: (connection: ProxiedConnection) => connections.delete(connection),
  };
  const listen = (port: number) =>
    Bun.listen<ProxiedConnection>({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => {
          socket.data = new ProxiedConnection(socket, surroundings);
          connections.add(socket.data);
        },
        data: (socket, bytes) => socket.data.onRequestBytes(Buffer.from(bytes)),
        close: (socket) => socket.data.end(),
        error: (socket) => socket.data.end(),
      },
    });
  let listener: ReturnType<typeof listen> | undefined = listen(0);
  const { port } = listener;
  const refuse = () => {
    listener?.stop();
    listener = undefined;
    for (const connection of connections) connection.reset();
  };
  const release = () => {
    gate?.resolve();
    gate = undefined;
  };
  return {
    address: `http://127.0.0.1:${port}`,
    requests: () => requests,
    refuse,
    accept: () => {
      listener ??= listen(port);
    },
    hold: () => {
      gate ??= Promise.withResolvers<void>();
    },
    release,
    [Symbol.asyncDispose]: async () => {
      release();
      refuse();
    },
  };
}
