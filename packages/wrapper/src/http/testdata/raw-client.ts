import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** How bytes are sent. */
export interface RawOptions {
  readonly port: number;
  /** TLS, with a client certificate where one is given. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /** The client's own address; loopback's first unless told. */
  readonly localAddress?: string;
  /** Closes the own side right after the last byte. */
  readonly thenEnd?: boolean;
}

/** What came back, and how long the connection lasted. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly text: string;
  readonly reset: boolean;
}

/** Opens a connection that the caller uses and destroys. */
export async function rawSocket({ port, tls, localAddress }: RawOptions): Promise<Socket> {
  const own = localAddress === undefined ? {} : { localAddress };
  const target = { host: "127.0.0.1", port, allowHalfOpen: true, ...own };
  const socket = tls === undefined ? connectTcp(target) : connectTls({ ...target, ...tls });
  await new Promise<void>((resolve, reject) => {
    socket.once(tls === undefined ? "connect" : "secureConnect", () => resolve());
    socket.once("error", reject);
  });
  return socket;
}

/** Sends the pieces, each in a segment of its own, and reads until the server closes. */
export async function sendRaw(
  pieces: string | readonly (string | Uint8Array)[],
  options: RawOptions,
): Promise<RawAnswer> {
  const socket = await rawSocket(options);
  socket.setNoDelay(true);
  const answer = readAnswer(socket);
  for (const piece of typeof pieces === "string" ? [pieces] : pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
  if (options.thenEnd === true) socket.end();
  return answer;
}

/** Reads until the other end has said all, then closes. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  let reset = false;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.on("end", () => socket.end());
    socket.on("error", () => {
      reset = true;
    });
    socket.on("close", () => resolve());
  });
  const text = Buffer.concat(chunks).toString();
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...fields] = head.split("\r\n");
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Z]/.exec(statusLine)?.[1] ?? 0);
  return { status, headers: new Map(headers), body: rest.join("\r\n\r\n"), text, reset };
}
