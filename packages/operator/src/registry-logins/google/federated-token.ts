import { askLoginServer } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf, isSendable, tokenOf } from "../read-answer.ts";
import { readLoginFile } from "../read-login-file.ts";
import type { ExternalAccount } from "./credentials-file.ts";
import { type GoogleToken, lifeOf, oauthToken } from "./google-token.ts";

const EXCHANGE = "exchange the token of the service account";
const IMPERSONATE = "generateAccessToken";
const PLATFORM = "https://www.googleapis.com/auth/cloud-platform";
/** Enough to pull images, the same as on GKE's nodes. */
export const READ_SCOPE = "https://www.googleapis.com/auth/devstorage.read_only";
const pool =
  "the provider of the workload identity pool has to trust the cluster's issuer, and its attribute condition the operator's service account";
const audience =
  "the token has to be for the audience that the pool's provider allows: check the projected volume of the operator's pod";

/**
 * Exchanges the service account's token for one of Google, and, if the file says so, that one for
 * one of a service account. See Security Token Service API, method token, and IAM Credentials API,
 * generateAccessToken.
 *
 * @throws ImageError
 */
export async function federatedToken(
  account: ExternalAccount,
  way: LoginWay,
): Promise<GoogleToken> {
  const url = account.tokenUrl;
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: account.audience,
    scope: PLATFORM,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: await subjectToken(account, way),
    subject_token_type: account.subjectTokenType,
  });
  const { text } = await askLoginServer(way, {
    step: EXCHANGE,
    url,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form.toString(),
    hints: {
      refused: pool,
      words: { invalid_grant: audience, invalid_target: pool, unauthorized_client: pool },
    },
  });
  const operation = `${way.operation}: ${EXCHANGE} at ${url.host}`;
  const federated = oauthToken(fieldsOf(text, operation), operation);
  const { impersonationUrl } = account;
  return impersonationUrl === undefined
    ? federated
    : impersonated(impersonationUrl, federated.token, way);
}

async function subjectToken(
  { tokenFile, tokenField }: ExternalAccount,
  way: LoginWay,
): Promise<string> {
  const { operation } = way;
  const named = "credential_source.file";
  const hint = "project a token of the operator's service account to this path";
  const text = await readLoginFile({ path: tokenFile, named, operation, hint });
  const reading = `${operation}: read ${tokenFile} of ${named}`;
  const token = tokenField === undefined ? text.trim() : fieldsOf(text, reading, hint)[tokenField];
  if (typeof token === "string" && isSendable(token)) return token;
  throw loginRefused(`${reading}: it holds no token`, { hint });
}

async function impersonated(url: URL, token: string, way: LoginWay): Promise<GoogleToken> {
  const { text } = await askLoginServer(way, {
    step: IMPERSONATE,
    url,
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ scope: [READ_SCOPE], lifetime: "3600s" }),
    hints: {
      refused:
        "the principal of the operator's service account needs roles/iam.workloadIdentityUser on the service account",
    },
  });
  const operation = `${way.operation}: ${IMPERSONATE} at ${url.host}`;
  const fields = fieldsOf(text, operation);
  const issued = tokenOf(fields["accessToken"], "access token", operation);
  const lifeMs = Date.parse(String(fields["expireTime"])) - Date.now();
  return { token: issued, lifeMs: lifeOf(lifeMs, operation) };
}
