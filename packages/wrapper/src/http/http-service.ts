import type { SecretBytes } from "@svc/secret-bytes";
import type { HttpAnswer } from "./http-answer.ts";

/** The head of a request: all that comes before its body. */
export interface RequestHead {
  readonly method: string;
  /** As it was sent, without the query; nothing in it is decoded. */
  readonly path: string;
  /** By name in lower case; of a name that came several times, the values between commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes of body that follow. */
  readonly bodyLength: number;
}

/** The client. */
export interface Client {
  /** Its IP address. */
  readonly address: string;
  /** The common name of a certificate that the client CA signed; undefined without such a one. */
  readonly certificateName: string | undefined;
}

/** Answers requests. */
export interface HttpService {
  /**
   * Answers from the head alone; undefined if the body, which is of a bearable length, is needed.
   */
  readonly answerHead: (head: RequestHead, client: Client) => HttpAnswer | undefined;
  /** Answers after the whole body has come, which may be a secret. */
  readonly answerBody: (
    head: RequestHead,
    body: SecretBytes,
    client: Client,
  ) => Promise<HttpAnswer>;
}
