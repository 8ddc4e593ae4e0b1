import { connect, createServer, type Socket } from "node:net";
import { freePort } from "@svc/testing";

/** A way to a server that can be cut, at a separate address. */
export interface SeverablePath extends Disposable {
  /** `https://127.0.0.1:PORT`. */
  readonly address: string;
  /** Refuses connections and cuts those that there are. */
  readonly cut: () => void;
  readonly mend: () => Promise<void>;
}

/** Makes a way to an `https://HOST:PORT`; it is cut until it is mended. */
export function severablePath(address: string): SeverablePath {
  const { hostname: host, port } = new URL(address);
  const own = freePort();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    // A cut connection reports an error, which the test ignores.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  let server = createServer();
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const mend = async (): Promise<void> => {
    if (server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server = createServer((near) => {
      const far = connect(Number(port), host);
      keep(near);
      keep(far);
      near.pipe(far).pipe(near);
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroy());
    });
    server.listen(own, "127.0.0.1", resolve);
    await promise;
  };
  return { address: `https://127.0.0.1:${own}`, cut, mend, [Symbol.dispose]: cut };
}
