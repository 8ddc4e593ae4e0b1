import { basic, fetchAccessToken, type TokenCache } from "./access-token.ts";
import { type AuthChallenge, parseAuthChallenges } from "./auth-challenge.ts";
import { ImageError } from "./image-error.ts";
import { type RegistryCredential, revealCredential } from "./registry-credential.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";
import type { LookupLimits } from "./registry-settings.ts";
import { type RegistryAnswer, sendRequest, type Transport } from "./send-request.ts";
import { statusError } from "./status-error.ts";

/** The server of a client, and its credential. */
export interface RegistryClientOptions {
  readonly endpoint: RegistryEndpoint;
  /** Anonymous if it is undefined. */
  readonly credential: RegistryCredential | undefined;
  readonly transport: Transport;
  readonly tokens: TokenCache;
  readonly limits: LookupLimits;
}

/** The data that is read of a repository. */
export interface Resource {
  /** Below the repository: `manifests/latest`. */
  readonly path: string;
  readonly accept?: string | undefined;
  /** Asks for the headers alone. */
  readonly head?: boolean;
  readonly maxBytes: number;
  readonly operation: string;
}

/** One repository of a server, as one of its users. */
export class RegistryClient {
  readonly #wanted: RegistryClientOptions;
  readonly #tokenKey: string;
  #authorization: string | undefined;
  /** Whether the header is of an earlier lookup. */
  #isRemembered: boolean;

  constructor(wanted: RegistryClientOptions) {
    const { endpoint, credential, tokens } = wanted;
    this.#wanted = wanted;
    this.#tokenKey = [endpoint.origin, endpoint.repository, credential?.fingerprint].join(" ");
    const token = tokens.get(this.#tokenKey);
    this.#authorization = token === undefined ? undefined : `Bearer ${token}`;
    this.#isRemembered = token !== undefined;
  }

  /**
   * Reads a resource. Sends credentials if the server asks for them, in each way that it offers.
   *
   * @throws ImageError for everything but a complete answer of status 200
   */
  async get(resource: Resource): Promise<RegistryAnswer> {
    const url = this.#urlOf(resource.path);
    let answer = await this.#send(url, resource);
    if (answer.status === 401 && this.#isRemembered) {
      // Harbor answers to an invalid token with a challenge of another scheme, so that the
      // challenge for a new one has to be asked for without a token.
      this.#wanted.tokens.delete(this.#tokenKey);
      this.#authorization = undefined;
      this.#isRemembered = false;
      answer = await this.#send(url, resource);
    }
    const tried = new Set<string>();
    while (answer.status === 401) {
      this.#authorization = await this.#answerTo(answer, { url, resource, tried });
      answer = await this.#send(url, resource);
    }
    if (answer.status === 200) return answer;
    throw statusError(answer, resource.operation);
  }

  #urlOf(path: string): URL {
    const { origin, repository, mirrorOf } = this.#wanted.endpoint;
    const url = new URL(`${origin}/v2/${repository}/${path}`);
    if (mirrorOf !== undefined) url.searchParams.set("ns", mirrorOf);
    return url;
  }

  #send(url: URL, resource: Resource): Promise<RegistryAnswer> {
    const authorization = this.#authorization;
    const { accept, maxBytes, operation, head } = resource;
    const request = { url: url.href, accept, authorization, maxBytes, operation, head };
    return sendRequest(this.#wanted.transport, request);
  }

  /** The Authorization header of the first way among a server's challenges that was not tried. */
  async #answerTo(
    answer: RegistryAnswer,
    { url, resource: { operation }, tried }: Challenged,
  ): Promise<string> {
    const { credential } = this.#wanted;
    const { registryToken, username, password } =
      credential === undefined ? {} : revealCredential(credential);
    if (registryToken !== undefined && isFirst("token", tried)) return `Bearer ${registryToken}`;
    const challenges = parseAuthChallenges(answer.headers.get("www-authenticate"));
    const challenge = challenges.find(isBearer);
    if (registryToken === undefined && challenge !== undefined && isFirst("bearer", tried)) {
      return this.#fetchToken(challenge, url, operation);
    }
    const takesBasic = challenges.some(({ scheme }) => scheme === "basic");
    if (takesBasic && username !== undefined && isFirst("basic", tried)) {
      return basic(username, password);
    }
    throw unanswerable(answer, challenges, operation);
  }

  async #fetchToken(challenge: AuthChallenge, url: URL, operation: string): Promise<string> {
    const { credential, transport, endpoint, tokens, limits } = this.#wanted;
    const { token, lifeMs } = await fetchAccessToken(transport, {
      challenge,
      challengedBy: url,
      repository: endpoint.repository,
      credential,
      operation,
      maxBytes: limits.tokenBytes,
    });
    tokens.put(this.#tokenKey, token, { bytes: token.length, lifeMs });
    return `Bearer ${token}`;
  }
}

/** A resource for which the server asks for credentials. */
interface Challenged {
  readonly url: URL;
  readonly resource: Resource;
  /** The ways that were tried for it. */
  readonly tried: Set<string>;
}

/** Whether the way was not tried yet; it is from then on. */
function isFirst(way: string, tried: Set<string>): boolean {
  const { size } = tried;
  return tried.add(way).size > size;
}

function isBearer({ scheme, parameters }: AuthChallenge): boolean {
  return scheme === "bearer" && parameters["realm"] !== undefined;
}

function unanswerable(
  answer: RegistryAnswer,
  challenges: readonly AuthChallenge[],
  operation: string,
): ImageError {
  const known =
    challenges.length === 0 ||
    challenges.some(({ scheme }) => scheme === "basic" || scheme === "bearer");
  if (known) return statusError(answer, operation);
  return new ImageError(
    "UNSUPPORTED",
    `${operation}: neither basic nor bearer authentication is offered`,
  );
}
