import { askLoginServer, type LoginHints } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { readTokenFile } from "../read-login-file.ts";
import type { WebIdentity } from "./aws-identity.ts";
import { type AwsKeys, issuedKeys } from "./aws-keys.ts";

const STEP = "AssumeRoleWithWebIdentity";
const trust =
  "the trust policy of the role has to name the cluster's OIDC provider, the operator's service account (sub) and the audience sts.amazonaws.com (aud)";

const hints: LoginHints = {
  refused: trust,
  words: {
    AccessDenied: trust,
    ExpiredTokenException: "the token file is out of date: the kubelet replaces it in time",
    ExpiredToken: "the token file is out of date: the kubelet replaces it in time",
    InvalidIdentityToken:
      "IAM has no OIDC provider for the token's issuer, or the token is for another audience than sts.amazonaws.com",
    IDPRejectedClaim: trust,
    IDPCommunicationError: "STS does not reach the cluster's issuer; try again in a moment",
    RegionDisabledException: "STS is switched off in this region for the account",
    ValidationError: "AWS_ROLE_ARN is not the ARN of a role",
    Throttling: "too many requests; try again in a moment",
  },
};

/**
 * Exchanges the service account's token for keys of the role (STS API reference,
 * AssumeRoleWithWebIdentity).
 *
 * @throws ImageError
 */
export async function assumeRole(
  { roleArn, tokenFile, sessionName }: WebIdentity,
  url: URL,
  way: LoginWay,
): Promise<AwsKeys> {
  const token = await readTokenFile({
    path: tokenFile,
    named: "AWS_WEB_IDENTITY_TOKEN_FILE",
    operation: way.operation,
    hint: "annotate the operator's service account with eks.amazonaws.com/role-arn and start its pods again",
  });
  const form = new URLSearchParams({
    Action: STEP,
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
  });
  const { text } = await askLoginServer(way, {
    step: STEP,
    url,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: form.toString(),
    hints,
  });
  return keysIn(text, `${way.operation}: ${STEP} at ${url.host}`);
}

/**
 * STS answers in XML; of it four elements are read, each of which has to be there once and to hold
 * plain text.
 */
function keysIn(text: string, operation: string): AwsKeys {
  const credentials = elementIn(text, "Credentials", "[^]*?");
  if (credentials === undefined) {
    const hint = "check AWS_ENDPOINT_URL_STS and proxies between the operator and STS";
    throw loginRefused(`${operation}: the answer has no Credentials`, { hint });
  }
  const leaf = (name: string) => elementIn(credentials, name, "[^<&]*")?.trim();
  return issuedKeys(
    {
      accessKeyId: leaf("AccessKeyId"),
      secretAccessKey: leaf("SecretAccessKey"),
      sessionToken: leaf("SessionToken"),
      expiration: leaf("Expiration"),
    },
    operation,
  );
}

function elementIn(text: string, name: string, content: string): string | undefined {
  const found = [...text.matchAll(new RegExp(`<${name}>(${content})</${name}>`, "g"))];
  return found.length === 1 ? found[0]?.[1] : undefined;
}
