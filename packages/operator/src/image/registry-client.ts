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
  readonly maxBytes: number;
  readonly operation: string;
}

/** One repository of a server, as one of its users. */
export class RegistryClient {
  readonly #wanted: RegistryClientOptions;
  readonly #tokenKey: string;
  #authorization: string | undefined;

  constructor(wanted: RegistryClientOptions) {
    const { endpoint, credential, tokens } = wanted;
    this.#wanted = wanted;
    this.#tokenKey = [endpoint.origin, endpoint.repository, credential?.fingerprint].join(" ");
    const token = tokens.get(this.#tokenKey);
    this.#authorization = token === undefined ? undefined : `Bearer ${token}`;
  }

  /**
   * Reads a resource. Sends credentials once if the server asks for them.
   *
   * @throws ImageError for everything but a complete answer of status 200
   */
  async get(resource: Resource): Promise<RegistryAnswer> {
    const url = this.#urlOf(resource.path);
    let answer = await this.#send(url, resource);
    if (answer.status === 401) {
      this.#wanted.tokens.delete(this.#tokenKey);
      this.#authorization = await this.#answerTo(answer, url, resource.operation);
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

  #send(url: URL, { accept, maxBytes, operation }: Resource): Promise<RegistryAnswer> {
    const authorization = this.#authorization;
    const { transport } = this.#wanted;
    return sendRequest(transport, { url: url.href, accept, authorization, maxBytes, operation });
  }

  /** The Authorization header that a challenge asks for. */
  async #answerTo(answer: RegistryAnswer, url: URL, operation: string): Promise<string> {
    const { credential, transport, endpoint, tokens, limits } = this.#wanted;
    const { registryToken, username, password } =
      credential === undefined ? {} : revealCredential(credential);
    if (registryToken !== undefined) return `Bearer ${registryToken}`;
    const challenges = parseAuthChallenges(answer.headers.get("www-authenticate"));
    const challenge = challenges.find(isBearer);
    if (challenge !== undefined) {
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
    if (challenges.some(({ scheme }) => scheme === "basic") && username !== undefined) {
      return basic(username, password);
    }
    throw unanswerable(answer, challenges, operation);
  }
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
