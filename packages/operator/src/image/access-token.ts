import type { AuthChallenge } from "./auth-challenge.ts";
import type { BoundedCache } from "./bounded-cache.ts";
import { ImageError } from "./image-error.ts";
import { type Fields, parseFields, textIn } from "./json-fields.ts";
import { strayProblem } from "./redirect.ts";
import { type RegistryCredential, revealCredential } from "./registry-credential.ts";
import { type RegistryRequest, sendRequest, type Transport } from "./send-request.ts";
import { statusError } from "./status-error.ts";

/** Access tokens, by server, repository and credential. */
export type TokenCache = BoundedCache<string>;

/** The purpose of a token. */
export interface WantedToken {
  readonly challenge: AuthChallenge;
  /** The URL whose answer was the challenge. */
  readonly challengedBy: URL;
  readonly repository: string;
  readonly credential: RegistryCredential | undefined;
  readonly operation: string;
  readonly maxBytes: number;
}

/** A token and how long it is good, in milliseconds. */
export interface AccessToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** The default lifetime of a token (distribution's token specification), in seconds. */
const DEFAULT_LIFE_S = 60;
/**
 * The longest lifetime, also if the server allows more: a removed permission should not live on
 * here.
 */
const LONGEST_LIFE_S = 3600;
/** So that it is not refused on its way. */
const MARGIN_MS = 10_000;
const LONGEST_TOKEN = 32 * 1024;

/**
 * Gets a token from the server that a bearer challenge names, for pulling and nothing else
 * (distribution's token and OAuth2 specifications).
 *
 * @throws ImageError
 */
export async function fetchAccessToken(
  transport: Transport,
  wanted: WantedToken,
): Promise<AccessToken> {
  const realm = realmOf(transport, wanted);
  const operation = `${wanted.operation}: get a token of ${realm.host}`;
  const answer = await sendRequest(transport, {
    ...tokenRequest(realm, wanted),
    operation,
    maxBytes: wanted.maxBytes,
  });
  if (answer.status !== 200) throw statusError(answer, operation);
  return tokenIn(parseFields(answer.bytes, operation), operation);
}

/**
 * The registry chooses the server that sees the credential, so it has to be as well protected, and
 * no neighbour of ours.
 */
function realmOf(
  { settings }: Transport,
  { challenge, challengedBy, operation }: WantedToken,
): URL {
  const realm = URL.parse(challenge.parameters["realm"] ?? "");
  if (realm === null)
    throw new ImageError("BAD_ANSWER", `${operation}: the challenge names no token server`);
  const problem = strayProblem(challengedBy, realm, settings);
  if (problem === undefined) return realm;
  throw new ImageError("REDIRECT_REFUSED", `${operation}: refused the token server: ${problem}`);
}

function tokenRequest(
  realm: URL,
  { challenge, repository, credential }: WantedToken,
): Pick<RegistryRequest, "url" | "authorization" | "form"> {
  const { service } = challenge.parameters;
  const scope = scopeOf(challenge, repository);
  const { identityToken, username, password } =
    credential === undefined ? {} : revealCredential(credential);
  const fields = { ...(service !== undefined && { service }), scope };
  if (identityToken !== undefined) {
    const grant = { grant_type: "refresh_token", client_id: "svc", refresh_token: identityToken };
    return { url: realm.href, form: new URLSearchParams({ ...fields, ...grant }) };
  }
  const url = new URL(realm);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return {
    url: url.href,
    authorization: username === undefined ? undefined : basic(username, password),
  };
}

/** A registry may call the repository otherwise than we do; more than to pull is not asked for. */
function scopeOf({ parameters }: AuthChallenge, repository: string): string {
  const name = /^repository:([^\s:]+(?::[0-9]+\/[^\s:]+)?):[a-z*,]+$/.exec(
    parameters["scope"] ?? "",
  )?.[1];
  return `repository:${name ?? repository}:pull`;
}

/** The value of an Authorization header (RFC 7617, in UTF-8). */
export function basic(username: string, password = ""): string {
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

function tokenIn(body: Fields, operation: string): AccessToken {
  const token = textIn(body, "token") ?? textIn(body, "access_token") ?? "";
  // It becomes part of a header.
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > LONGEST_TOKEN) {
    throw new ImageError("BAD_ANSWER", `${operation}: the answer has no token that could be sent`);
  }
  const said = body["expires_in"];
  const seconds = typeof said === "number" && said > 0 ? said : DEFAULT_LIFE_S;
  return { token, lifeMs: Math.min(seconds, LONGEST_LIFE_S) * 1000 - MARGIN_MS };
}
