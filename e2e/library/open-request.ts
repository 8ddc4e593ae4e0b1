import { readFileSync } from "node:fs";
import { waitFor } from "@svc/testing";
import type { RunningServer } from "../harness/wrapper/running-server.ts";

/** A request that is being answered. */
export interface OpenRequest extends AsyncDisposable {
  /** Sends the missing byte, and returns the server's bytes until it closed the connection. */
  readonly finish: () => Promise<string>;
}

/**
 * Sends a request except for its body of one byte, which net/http reads before it sends the answer,
 * and waits until the server has read the sent part.
 */
export async function openRequest(server: RunningServer, path: string): Promise<OpenRequest> {
  const { port, pid } = server;
  const closed = Promise.withResolvers<void>();
  const answer: Buffer[] = [];
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, bytes) => void answer.push(Buffer.from(bytes)),
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\n`);
  const isRead = () => hasRead(pid, { port, peerPort: socket.localPort });
  await waitFor(isRead, { deadlineMs: 5000, what: "the server to read the request" });
  return {
    finish: async () => {
      socket.write("x");
      await closed.promise;
      return Buffer.concat(answer).toString();
    },
    [Symbol.asyncDispose]: async () => {
      socket.end();
      await closed.promise;
    },
  };
}

/**
 * Whether a connection was accepted, which gives it an inode, and nothing waits in it;
 * proc_pid_net(5).
 */
function hasRead(pid: number, ports: { readonly port: number; readonly peerPort: number }) {
  return readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, local = "", peer = "", , queues = "", , , , , inode]) =>
        portOf(local) === ports.port &&
        portOf(peer) === ports.peerPort &&
        queues.endsWith(":00000000") &&
        inode !== "0",
    );
}

const portOf = (address: string) => Number.parseInt(address.split(":")[1] ?? "", 16);
