import { connect as connectSocket } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  AgentService,
  type RegistrationRequest,
  RegistrationRequestSchema,
  type RegistrationResponse,
} from "@svc/agent-protocol";
import { Outbox } from "../registration/outbox.ts";

type Request = NonNullable<MessageInitShape<typeof RegistrationRequestSchema>["message"]>;

/** A client's stream, like a wrapper's. */
export interface AgentClient extends AsyncDisposable {
  readonly send: (message: Request) => void;
  /** The next answer; undefined at the stream's end. @throws ConnectError */
  readonly next: () => Promise<RegistrationResponse["message"] | undefined>;
  readonly end: () => Promise<void>;
}

/** How a client reaches the agent over TCP. */
export interface TcpReach {
  readonly baseUrl: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/** Opens a stream at a unix socket, or over TCP. */
export function openStream(reach: string | TcpReach): AgentClient {
  const { token, baseUrl, ...tls } =
    typeof reach === "string" ? { baseUrl: "http://agent", token: undefined } : reach;
  const nodeOptions =
    typeof reach === "string" ? { createConnection: () => connectSocket(reach) } : tls;
  const transport = createGrpcTransport({ baseUrl, nodeOptions });
  const requests = new Outbox<RegistrationRequest>(4096);
  const abort = new AbortController();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answers = createClient(AgentService, transport)
    .registration(requests.messages(), { headers, signal: abort.signal })
    [Symbol.asyncIterator]();
  const end = async (): Promise<void> => {
    requests.close();
    abort.abort();
    await Promise.resolve(answers.return?.()).catch(() => undefined);
  };
  return {
    send: (message) => void requests.put(create(RegistrationRequestSchema, { message })),
    next: async () => (await answers.next()).value?.message,
    end,
    [Symbol.asyncDispose]: end,
  };
}
