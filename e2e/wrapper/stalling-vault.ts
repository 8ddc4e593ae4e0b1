import type { Socket, TCPSocketListener, TLSOptions } from "bun";

/** The place at which an answer stands still. */
export interface Stall {
  /** How the path of the request ends. */
  readonly path: string;
  /** How many bytes are sent before, of an answer with its head. */
  readonly after: (answer: string) => number;
}

/** A vault that stands still in the middle of an answer. */
export interface StallingVault extends AsyncDisposable {
  readonly address: string;
  /** True once an answer stands still. */
  readonly hasStalled: () => boolean;
  /** Sends the held answers, and answers at once from then on. */
  readonly goOn: () => void;
  /** Stands still at another place from now on. */
  readonly stallAt: (stall: Stall) => void;
  readonly issuedTokens: () => readonly string[];
  /** The paths whose answers were sent whole. */
  readonly answered: () => readonly string[];
}

interface Incoming {
  received: Buffer;
}

/** Starts one before another that answers. */
export function stallingVault(store: string, first: Stall, tls?: TLSOptions): StallingVault {
  let stall: Stall | undefined = first;
  let held: (() => void)[] = [];
  const tokens: string[] = [];
  const answered: string[] = [];

  async function answer(socket: Socket<Incoming>, request: Request): Promise<void> {
    const text = await forward(store, request);
    const token = /"client_token":\s*"([^"]+)"/.exec(text)?.[1];
    if (token !== undefined) tokens.push(token);
    if (stall === undefined || !request.path.endsWith(stall.path)) {
      send(socket, text);
      answered.push(request.path);
      return;
    }
    const count = stall.after(text);
    if (count > 0) send(socket, text.slice(0, count));
    held.push(() => send(socket, text.slice(count)));
  }

  const server: TCPSocketListener<Incoming> = Bun.listen<Incoming>({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    socket: {
      open: (socket) => {
        socket.data = { received: Buffer.alloc(0) };
      },
      data: (socket, bytes) => {
        socket.data.received = Buffer.concat([socket.data.received, bytes]);
        const request = requestIn(socket.data.received);
        if (request === undefined) return;
        socket.data.received = Buffer.alloc(0);
        void answer(socket, request);
      },
      error: () => undefined,
    },
  });
  return {
    address: `${tls === undefined ? "http" : "https"}://127.0.0.1:${server.port}`,
    hasStalled: () => held.length > 0,
    goOn: () => {
      stall = undefined;
      for (const send of held) send();
      held = [];
    },
    stallAt: (other) => {
      stall = other;
    },
    issuedTokens: () => [...new Set(tokens)],
    answered: () => [...answered],
    [Symbol.asyncDispose]: async () => server.stop(true),
  };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly [string, string][];
  readonly body: string;
}

/** Requests come one at a time on a connection; RFC 9112. */
function requestIn(received: Buffer): Request | undefined {
  const [head = "", ...rest] = received.toString("latin1").split("\r\n\r\n");
  if (rest.length === 0) return undefined;
  const body = rest.join("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const length = Number(headers.find(([name]) => name === "content-length")?.[1] ?? 0);
  return body.length < length ? undefined : { method, path, headers, body };
}

async function forward(store: string, { method, path, headers, body }: Request): Promise<string> {
  const answer = await fetch(`${store}${path}`, {
    method,
    headers: headers.filter(([name]) => name !== "host"),
    ...(body === "" ? {} : { body }),
  });
  const text = await answer.text();
  const head = `HTTP/1.1 ${answer.status} From the store\r\ncontent-type: application/json`;
  return `${head}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

function send(socket: Socket<Incoming>, text: string): void {
  socket.write(Buffer.from(text, "latin1"));
}
