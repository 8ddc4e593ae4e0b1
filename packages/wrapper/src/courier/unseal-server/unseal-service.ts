import type { SecretBytes } from "@svc/secret-bytes";
import type { Secret } from "@svc/vault";
import { answerHealth, type HealthView, UNSEAL_PATH } from "../../health/health-answers.ts";
import { alreadyUnsealed } from "../../health/health-server.ts";
import type { UnsealAttempt } from "../../health/wrapper-facts.ts";
import type { AddressBuckets } from "../../http/address-buckets.ts";
import { addressGroup } from "../../http/address-group.ts";
import {
  type ErrorText,
  errorAnswer,
  type HttpAnswer,
  jsonAnswer,
} from "../../http/http-answer.ts";
import type { Client, HttpService, RequestHead } from "../../http/http-service.ts";
import { CheckTurns } from "./check-turns.ts";
import { readUnsealBody } from "./read-unseal-body.ts";

/** The vault's verdict on a token. Message and hint go to the client: never the token. */
export type TokenCheck =
  | { readonly kind: "accepted" }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string }
  /** The vault could not be asked. */
  | { readonly kind: "unavailable"; readonly message: string; readonly hint: string };

/** The client that sent the accepted token. */
export interface UnsealedBy {
  /** Its IP address. */
  readonly address: string;
  /** The common name of its certificate; undefined if none was asked for. */
  readonly certificateName: string | undefined;
}

/** The inputs of the service. */
export interface UnsealServiceOptions {
  readonly view: HealthView;
  /** True if only clients with a certificate may bring a token. */
  readonly wantsCertificate: boolean;
  /** Failed tries, by address; without a certificate nothing else tells clients apart. */
  readonly limit: AddressBuckets;
  /** Whether a group of addresses is the node's, from which the kubelet and its tools come. */
  readonly isNode: (group: string) => boolean;
  /** Tries a token at the vault. If it is accepted, it is in use when this resolves. */
  readonly check: (token: Secret) => Promise<TokenCheck>;
  /** Called for every POST, after its outcome is known. */
  readonly onAttempt: (attempt: UnsealAttempt, client: Client) => void;
  /** Called once: a token was accepted. The answer is on its way. */
  readonly onAccepted: (by: UnsealedBy) => void;
  /** Called once the client that brought the token has its answer, or has left. */
  readonly onAnswered: () => void;
}

/** Failed tries that an address is granted at once, and then one in ten seconds. */
export const FAILED_TRIES = { burst: 5, refillMs: 10_000 };
const RETRY_CHECK_S = 1;
const RETRY_VAULT_S = 5;

/** Answers everything that is asked of a sealed wrapper. */
export class UnsealService implements HttpService {
  readonly #options: UnsealServiceOptions;
  #isUnsealed = false;
  readonly #turns: CheckTurns;

  constructor(options: UnsealServiceOptions) {
    this.#options = options;
    this.#turns = new CheckTurns(options.isNode);
  }

  answerHead(head: RequestHead, client: Client): HttpAnswer | undefined {
    const { view, wantsCertificate } = this.#options;
    if (head.path !== UNSEAL_PATH || head.method !== "POST") return answerHealth(head, view);
    if (wantsCertificate && client.certificateName === undefined) {
      return this.#refuse("unverified", client, certificateRequired());
    }
    if (this.#isUnsealed) return alreadyUnsealed();
    const type = head.headers.get("content-type") ?? "";
    if (!/^application\/json[ \t]*(?:;|$)/i.test(type)) {
      return this.#refuse("malformed", client, unsupportedMediaType());
    }
    return this.#throttle(client);
  }

  async answerBody(_head: RequestHead, body: SecretBytes, client: Client): Promise<HttpAnswer> {
    const reading = readUnsealBody(body);
    if (reading.kind === "problems") {
      return this.#refuse("malformed", client, malformed(reading.problems));
    }
    if (this.#isUnsealed) return alreadyUnsealed();
    // Asked again: others may have tried while this body came in.
    return this.#throttle(client) ?? this.#check(reading.token, client);
  }

  #throttle(client: Client): HttpAnswer | undefined {
    const group = addressGroup(client.address);
    const isBusy = this.#turns.has(group);
    const waitS = isBusy ? RETRY_CHECK_S : Math.ceil(this.#options.limit.waitMs(group) / 1000);
    return waitS === 0 ? undefined : this.#refuse("throttled", client, tooManyTries(waitS));
  }

  async #check(token: Secret, client: Client): Promise<HttpAnswer> {
    const group = addressGroup(client.address);
    if (!(await this.#turns.begin(group))) {
      return this.#refuse("throttled", client, tooManyTries(RETRY_CHECK_S));
    }
    // Another one was faster while this one waited.
    const outcome = this.#isUnsealed
      ? undefined
      : await this.#options.check(token).catch(checkFailed);
    this.#turns.end(group, outcome?.kind === "refused");
    // Its token is in use.
    if (this.#isUnsealed || outcome === undefined) return alreadyUnsealed();
    if (outcome.kind === "accepted") return this.#accept(client);
    this.#options.limit.take(group);
    const { kind, message, hint } = outcome;
    const answer =
      kind === "refused"
        ? errorAnswer(403, { code: "TOKEN_REFUSED", message, hint })
        : tryLater(503, { code: "VAULT_UNAVAILABLE", message, hint }, RETRY_VAULT_S);
    return this.#refuse(kind, client, answer);
  }

  #accept(client: Client): HttpAnswer {
    this.#isUnsealed = true;
    const { onAttempt, onAccepted, onAnswered } = this.#options;
    onAttempt("accepted", client);
    onAccepted({ address: client.address, certificateName: client.certificateName });
    return { ...jsonAnswer(200, { status: "unsealed" }), onGone: onAnswered };
  }

  #refuse(attempt: UnsealAttempt, client: Client, answer: HttpAnswer): HttpAnswer {
    this.#options.onAttempt(attempt, client);
    return answer;
  }
}

/**
 * A check must not throw; one that does has a mistake of ours in it, whose text may quote the
 * token.
 */
function checkFailed(): TokenCheck {
  const hint = "this is a mistake of svc: please report it with the log";
  return { kind: "unavailable", message: "the token could not be checked", hint };
}

function tryLater(status: number, error: ErrorText, seconds: number): HttpAnswer {
  return errorAnswer(status, error, { "retry-after": String(seconds) });
}

function tooManyTries(seconds: number): HttpAnswer {
  const error = {
    code: "TOO_MANY_TRIES",
    message: `too many tries, or one is under way: wait ${seconds} s`,
    hint: "five tries of an address may fail, then one each 10 s; one is checked at a time",
  };
  return tryLater(429, error, seconds);
}

function malformed(problems: readonly string[]): HttpAnswer {
  return errorAnswer(400, {
    code: "MALFORMED_TOKEN_REQUEST",
    message: problems.join("; "),
    hint: 'send {"token":"…"}',
    problems,
  });
}

function certificateRequired(): HttpAnswer {
  return errorAnswer(403, {
    code: "CLIENT_CERTIFICATE_REQUIRED",
    message: "a token is taken from clients with a valid certificate only",
    hint: "show a certificate that a CA in SVC_BROKER_TLS_CA has signed",
  });
}

function unsupportedMediaType(): HttpAnswer {
  return errorAnswer(415, {
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "the body must be application/json",
    hint: "send Content-Type: application/json",
  });
}
