/** The HTTP server of the module that svc-engine.d.ts declares. */
declare module "svc:engine" {
  /** A server of HTTP/1.1, one request a connection. The script answers. */
  export interface HttpServerOptions {
    /** An address; empty for every one of the machine. */
    readonly host: string;
    /** 0 for any free port. */
    readonly port: number;
    readonly tls?: HttpServerTls;
    /** How long a connection may take to send its request. */
    readonly requestTimeoutMs: number;
    /** Whether all memory of its connections is in locked pages. */
    readonly takesSecrets: boolean;
    /** Clients that may be connected at a time. */
    readonly mostConnections: number;
    /** Addresses whose connections are never closed to make room for others. */
    readonly spared: readonly string[];
    /** Answers from the head alone; undefined if the body is needed. */
    answerHead(head: HttpRequestHead, client: HttpClient): HttpAnswer | undefined;
    /** Answers after the whole body has come, by calling `answer`. */
    answerBody(
      head: HttpRequestHead,
      body: SecretBytes,
      client: HttpClient,
      answer: (answer: HttpAnswer) => void,
    ): void;
    /** Says why a request is not answered as asked. */
    refuse(refusal: HttpRefusal): HttpAnswer;
  }
  export interface HttpServerTls {
    /** PEM texts. */
    readonly certificate: string;
    readonly key: SecretBytes;
    /** With it every client is asked for a certificate, and none is turned away. */
    readonly clientCa?: string;
  }
  export interface HttpRequestHead {
    readonly method: string;
    readonly path: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly bodyLength: number;
  }
  export interface HttpClient {
    readonly address: string;
    readonly certificateName: string | undefined;
  }
  export interface HttpRefusal {
    readonly status: number;
    readonly code: string;
    readonly message: string;
  }
  export interface HttpAnswer {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** For so long, or until `forget`, the host repeats it for a GET or HEAD of the same path. */
    readonly holdsMs?: number;
    /** Called once the client has left. */
    readonly onGone?: () => void;
  }
  export interface HttpServer {
    readonly address: string;
    readonly port: number;
    /** @throws if the material cannot be used; the server then stands as before */
    changeTls(tls: HttpServerTls): void;
    /** Repeats no answer any more. */
    forget(): void;
    /** Accepts no more clients. Present ones get an answer. */
    close(): void;
    /** Closes everything at once. */
    stop(): void;
  }
  /**
   * Listens; listen(2).
   * @throws an Error with `errno` if it cannot, a TypeError if the material cannot be used
   */
  export function openHttpServer(options: HttpServerOptions): HttpServer;
}
