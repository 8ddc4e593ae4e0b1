import { secretBytesFrom } from "@svc/secret-bytes";
import type { HttpAnswer } from "../http-answer.ts";
import type { HttpServerOptions, HttpServerTls, OpenHttpServer } from "../http-server.ts";
import type { Client } from "../http-service.ts";

/** A request to a server. */
export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, its body as text. */
export interface Answered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Standing extends HttpServerOptions {
  served: HttpServerTls | undefined;
}

const nearby: Client = { address: "127.0.0.1", certificateName: undefined };

/**
 * Servers without a network: each has its own port, and a port is taken once. A pair of TLS fits
 * if certificate and key have the same bytes behind their first line.
 */
export class FakeServers {
  readonly #standing = new Map<number, Standing>();
  #lastPort = 40_000;

  readonly open: OpenHttpServer = (options) => {
    const port = options.port === 0 ? ++this.#lastPort : options.port;
    if (this.#standing.has(port)) throw Object.assign(new Error("listen"), { code: "EADDRINUSE" });
    if (options.tls !== undefined) refuseMisfit(options.tls);
    const standing = { ...options, served: options.tls };
    this.#standing.set(port, standing);
    const forget = () => undefined;
    const leave = () => {
      if (this.#standing.get(port) === standing) this.#standing.delete(port);
    };
    return {
      ...{ address: options.host, port, forget, close: leave, stop: leave },
      changeTls(tls) {
        refuseMisfit(tls);
        standing.served = tls;
      },
    };
  };

  /** Whether a server stands at a port. */
  isOpen(port: number): boolean {
    return this.#standing.has(port);
  }

  /** The certificate that new connections would see. */
  certificateAt(port: number): string | undefined {
    return this.#standing.get(port)?.served?.certificate;
  }

  /** The authority of clients that new connections would be asked for. */
  clientCaAt(port: number): string | undefined {
    return this.#standing.get(port)?.served?.clientCa;
  }

  /**
   * Takes a request to the server at a port, as the host does. @throws if no server stands there.
   */
  async ask(port: number, question: Question, client: Client = nearby): Promise<Answered> {
    const service = this.#standing.get(port)?.service;
    if (service === undefined) throw new TypeError(`no server stands at ${port}`);
    const body = new TextEncoder().encode(question.body ?? "");
    const head = {
      method: question.method ?? "GET",
      path: question.path,
      headers: new Map(Object.entries(question.headers ?? {})),
      bodyLength: body.length,
    };
    const answer =
      service.answerHead(head, client) ??
      (await service.answerBody(head, secretBytesFrom(body), client));
    answer.onGone?.();
    return answered(answer);
  }
}

function answered({ status, headers = {}, body }: HttpAnswer): Answered {
  return { status, headers: new Map(Object.entries(headers)), body };
}

function refuseMisfit({ certificate, key }: HttpServerTls): void {
  if (afterFirstLine(certificate) === afterFirstLine(key.open([]) ?? "")) return;
  throw Object.assign(new Error("misfit"), { code: "KEY_VALUES_MISMATCH" });
}

function afterFirstLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
