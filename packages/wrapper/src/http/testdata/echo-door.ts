import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import type { CertificateAuthority } from "@svc/testing";
import { openHttpDoor } from "#http-door";
import { type HttpAnswer, jsonAnswer } from "../http-answer.ts";
import type { DoorTls, HttpDoor } from "../http-door.ts";
import type { Client, HttpService } from "../http-service.ts";
import { rawSocket } from "./raw-client.ts";

/** A request without a body. */
export const HEAD = request("GET /healthz");

/** A request with the head that begins with a line. */
export function request(line: string): string {
  return `${line} HTTP/1.1\r\nHost: pod\r\n\r\n`;
}

/** A request with a body. */
export function post(body: string): string {
  return `POST / HTTP/1.1\r\nHost: pod\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Doors of a test file that answer with what they were asked. */
export function echoDoors() {
  const doors: HttpDoor[] = [];
  const held: (() => void)[] = [];
  const service = echo(held);
  return {
    service,
    /** Each lets the answer to a body go that said "hold". */
    held,
    open: (tls?: DoorTls, requestTimeoutMs = 10_000): HttpDoor => {
      const options = { host: "127.0.0.1", port: 0, service, nodeGroups, requestTimeoutMs };
      const door = openHttpDoor(tls === undefined ? options : { ...options, tls });
      doors.push(door);
      return door;
    },
    close: () => {
      for (const door of doors) door.stop();
    },
  };
}

/** No address is the node's. */
export const nodeGroups: ReadonlySet<string> = new Set();

/** The kernel lets a client in once it has said something; this one says the first letter of HEAD. */
export async function talkingSocket(port: number, localAddress = "127.0.0.1") {
  const socket = await rawSocket({ port, localAddress });
  socket.on("error", () => undefined);
  socket.write(HEAD.slice(0, 1));
  return socket;
}

/** A certificate as the authority issues it. */
export interface Pem {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** The same for a door that asks for certificates of an authority. */
export function doorTls({ certificatePem, keyPem }: Pem, authority: CertificateAuthority): DoorTls {
  const clientCa = authority.certificatePem;
  return { certificate: certificatePem, key: secretText(keyPem), clientCa };
}

/** A text as a secret. */
export function secretText(text: string): SecretBytes {
  return secretBytesFrom(new TextEncoder().encode(text));
}

function echo(held: (() => void)[]): HttpService {
  return {
    answerHead: ({ method, path }, client: Client) => {
      if (path === "/throws") throw new RangeError("on purpose");
      if (path === "/who") return jsonAnswer(200, client);
      return method === "POST" ? undefined : jsonAnswer(200, `${method} ${path}`);
    },
    answerBody: async (_head, body): Promise<HttpAnswer> => {
      const text = body.open([]) ?? "";
      if (text === "throw") throw new RangeError("on purpose");
      // Long enough for the client's end to arrive before the answer is there.
      if (text === "slow") await Bun.sleep(30);
      if (text === "hold") await new Promise<void>((resolve) => void held.push(resolve));
      return jsonAnswer(200, text);
    },
  };
}
