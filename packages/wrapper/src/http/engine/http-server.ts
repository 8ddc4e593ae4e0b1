import { openHttpServer as openHostServer } from "svc:engine";
import { descriptorLimit, memoryLockLimit, SyscallError } from "@svc/kernel";
import { failure, WrapperError } from "../../errors.ts";
import { type HttpAnswer, internalError, refusalAnswer } from "../http-answer.ts";
import {
  type HttpServer,
  type HttpServerTls,
  type OpenHttpServer,
  REQUEST_TIMEOUT_MS,
} from "../http-server.ts";
import type { HttpService, RequestHead } from "../http-service.ts";
import { mostConnections } from "../most-connections.ts";

type HostOptions = Parameters<typeof openHostServer>[0];

/** Opens a server of the host, which admits clients by itself and asks here for answers. */
export const openHttpServer: OpenHttpServer = (options) => {
  const { host, port, tls, requestTimeoutMs = REQUEST_TIMEOUT_MS, takesSecrets = false } = options;
  const lockBytes = takesSecrets ? memoryLockLimit() : undefined;
  const server = openedByHost({
    ...{ host, port, requestTimeoutMs, takesSecrets },
    ...(tls && { tls: hostTls(tls) }),
    ...{ mostConnections: mostConnections(descriptorLimit(), lockBytes), spared: options.spared },
    ...answering(options.service),
  });
  return { ...server, changeTls: (next) => server.changeTls(hostTls(next)) } satisfies HttpServer;
};

function openedByHost(options: HostOptions) {
  try {
    return openHostServer(options);
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    if (error.errno === 0) throw unknownName(options.host);
    throw new SyscallError("listen", Number(error.errno));
  }
}

function unknownName(host: string): WrapperError {
  const message = `${host} is neither an address nor a name in /etc/hosts`;
  return new WrapperError([failure("HEALTH_PORT_UNAVAILABLE", message)]);
}

function hostTls({ certificate, key, clientCa }: HttpServerTls): NonNullable<HostOptions["tls"]> {
  // An adapter over the host's own handle.
  const own = { certificate, key: key as never };
  return clientCa === undefined ? own : { ...own, clientCa };
}

type Answering = Pick<HostOptions, "answerHead" | "answerBody" | "refuse">;

function answering(service: HttpService): Answering {
  return {
    answerHead(head, client) {
      try {
        const answer = service.answerHead(headOf(head), client);
        return answer && hostAnswer(answer);
      } catch {
        // Its text may quote its input.
        return hostAnswer(internalError());
      }
    },
    answerBody(head, body, client, answer) {
      void service
        .answerBody(headOf(head), body, client)
        .catch(internalError)
        .then((found) => answer(hostAnswer(found)));
    },
    refuse: ({ status, code, message }) => hostAnswer(refusalAnswer(status, code, message)),
  };
}

function headOf({ headers, ...head }: Parameters<HostOptions["answerHead"]>[0]): RequestHead {
  return { ...head, headers: new Map(headers) };
}

function hostAnswer({ headers = {}, ...answer }: HttpAnswer) {
  return { ...answer, headers: Object.entries(headers) };
}
