import type { HttpAnswer } from "./http-answer.ts";
import type { RequestHead } from "./request-head.ts";

/** Who asks. */
export interface Client {
  /** Its IP address. */
  readonly address: string;
  /** The common name of a certificate that the client CA signed; undefined without such a one. */
  readonly certificateName: string | undefined;
}

/** What answers requests. */
export interface HttpService {
  /** Answers from the head alone; undefined where the body, which is of a bearable length, is needed. */
  readonly answerHead: (head: RequestHead, client: Client) => HttpAnswer | undefined;
  /** Answers once the body is there. The bytes are wiped when the promise settles or the client leaves. */
  readonly answerBody: (head: RequestHead, body: Uint8Array, client: Client) => Promise<HttpAnswer>;
}
