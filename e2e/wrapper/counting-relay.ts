import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A relay in front of a server that counts connections. It does not look into them. */
export interface CountingRelay extends Disposable {
  /** The server's URL, by the relay's port. */
  readonly address: string;
  /** Connections so far. */
  readonly connections: () => number;
}

/** Starts the relay on a free loopback port. */
export async function countingRelay(server: string): Promise<CountingRelay> {
  const { hostname, port } = new URL(server);
  const open = new Set<Socket>();
  let connections = 0;
  const relay = createServer((near) => {
    connections += 1;
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const address = new URL(server);
  address.hostname = "127.0.0.1";
  address.port = String((relay.address() as AddressInfo).port);
  return {
    address: address.origin,
    connections: () => connections,
    [Symbol.dispose]() {
      relay.close();
      for (const socket of open) socket.destroy();
    },
  };
}
