import { AwsV4Signer } from "aws4fetch";
import { RegistryCredential } from "../../image/registry-credential.ts";
import { askLoginServer, type LoginHints } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { IssuedLogin } from "../login-provider.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf, isSendable } from "../read-answer.ts";
import { type AwsKeys, revealKeys } from "./aws-keys.ts";

const STEP = "GetAuthorizationToken";
const policy = "the operator's role needs ecr:GetAuthorizationToken on the resource *";
const hints: LoginHints = {
  refused: policy,
  words: {
    AccessDeniedException: policy,
    ExpiredTokenException: "the operator's keys have ended: replace them",
    UnrecognizedClientException: "AWS does not know the operator's keys, or not in this region",
    InvalidSignatureException: "the secret key is wrong, or the node's clock is",
    IncompleteSignature: "the secret key is wrong, or the node's clock is",
    ThrottlingException: "too many requests; try again in a moment",
  },
};

/** A server of ECR's API. */
export interface EcrApi {
  readonly url: URL;
  readonly region: string;
}

/**
 * Gets the user and the password that a registry of ECR takes for half a day (ECR API reference,
 * GetAuthorizationToken; AWS JSON 1.1, Signature Version 4).
 *
 * @throws ImageError
 */
export async function ecrLogin(
  { url, region }: EcrApi,
  keys: AwsKeys,
  way: LoginWay,
): Promise<IssuedLogin> {
  const { accessKeyId, secretAccessKey, sessionToken } = revealKeys(keys);
  const signer = new AwsV4Signer({
    ...{ accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    url: url.href,
    method: "POST",
    headers: {
      "Content-Type": "application/x-amz-json-1.1",
      "X-Amz-Target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
    },
    body: "{}",
    service: "ecr",
    region,
    allHeaders: true,
  });
  const { headers } = await signer.sign();
  const { text } = await askLoginServer(way, {
    ...{ step: STEP, url, method: "POST", headers, body: "{}", hints },
  });
  return loginIn(text, `${way.operation}: ${STEP} at ${url.host}`);
}

function loginIn(text: string, operation: string): IssuedLogin {
  const { authorizationData } = fieldsOf(text, operation);
  const { authorizationToken, expiresAt } = Object(Object(authorizationData)[0]);
  const token = Buffer.from(String(authorizationToken ?? ""), "base64").toString("utf8");
  const colon = token.indexOf(":");
  const lifeMs = Number(expiresAt) * 1000 - Date.now();
  if (colon < 1 || !isSendable(token) || Number.isNaN(lifeMs)) {
    const hint = "check AWS_ENDPOINT_URL_ECR and proxies between the operator and ECR";
    throw loginRefused(`${operation}: the answer has no authorization data`, { hint });
  }
  const username = token.slice(0, colon);
  const credential = new RegistryCredential({ username, password: token.slice(colon + 1) });
  return { credentials: [credential], lifeMs };
}
