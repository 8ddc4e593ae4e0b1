import { canary } from "@svc/testing";
import { signatureProblem } from "./check-signature.ts";
import {
  type CloudRequest,
  type CloudRoute,
  differing,
  formOf,
  type StandIn,
  standIn,
} from "./stand-in.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/**
 * STS, ECR's API, the EKS Pod Identity agent and the instance metadata, as their references
 * document the wire.
 */
export interface AwsStandIn extends StandIn {
  /** The password that registries take, once it was given out. */
  readonly password: string;
  /** Static keys that ECR knows. */
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Variables for each way, without a token file. */
  readonly environment: Readonly<Record<AwsWay, Readonly<Record<string, string>>>>;
  readonly audiences: Readonly<Record<"irsa" | "podIdentity", string>>;
}

/** Ways to an identity. */
export type AwsWay = "keys" | "irsa" | "podIdentity" | "instance";

/** The accepted callers. */
export interface AwsRequest {
  readonly issuer: TokenIssuer;
  readonly subject: string;
  readonly region?: string;
}

const ROLE = "arn:aws:iam::123456789012:role/svc-operator";
const NODE_ROLE = "eks-node";
const ROLES = "/latest/meta-data/iam/security-credentials/";
const audiences = { irsa: "sts.amazonaws.com", podIdentity: "pods.eks.amazonaws.com" } as const;

interface Issued {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Starts it. */
export function awsStandIn({ issuer, subject, region = "eu-central-1" }: AwsRequest): AwsStandIn {
  const password = canary();
  const keys = { accessKeyId: "AKIDSTATIC", secretAccessKey: canary() };
  const issued: Issued[] = [{ ...keys, sessionToken: undefined }];
  const issue = () => {
    const made = { accessKeyId: `ASIA${issued.length}`, secretAccessKey: canary() };
    const all = { ...made, sessionToken: `${canary()}/+=` };
    issued.push(all);
    return { ...all, expiration: new Date(Date.now() + 3_600_000).toISOString() };
  };

  const state = { issuer, subject, region, password, issued, issue };
  const server = standIn(
    securityTokenService(state),
    podIdentityAgent(state),
    instanceMetadata(state),
    containerRegistry(state),
  );
  const { origin } = server;
  const common = { AWS_REGION: region, AWS_ENDPOINT_URL_ECR: origin };
  const environment = {
    keys: {
      ...common,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    irsa: { ...common, AWS_ROLE_ARN: ROLE, AWS_ENDPOINT_URL_STS: origin },
    podIdentity: {
      ...common,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/v1/credentials`,
    },
    instance: { ...common, AWS_EC2_METADATA_SERVICE_ENDPOINT: origin },
  };
  return Object.assign(server, { password, keys, environment, audiences });
}

interface AwsState extends Required<AwsRequest> {
  readonly password: string;
  readonly issued: readonly Issued[];
  readonly issue: () => Issued & { readonly expiration: string };
}

function securityTokenService({ issuer, subject, issue }: AwsState): CloudRoute {
  return async (request) => {
    const form = formOf(request);
    if (form?.get("Action") !== "AssumeRoleWithWebIdentity") return undefined;
    const wrong = differing(form, { Version: "2011-06-15", RoleArn: ROLE });
    if (wrong.length > 0 || !/^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? ""))
      return stsError(400, "ValidationError");
    const refusal = await identityProblem(form.get("WebIdentityToken") ?? "", issuer, subject);
    if (refusal !== undefined) return refusal;
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue();
    return new Response(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>${subject}</SubjectFromWebIdentityToken>
    <Audience>${audiences.irsa}</Audience>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/svc-operator/x</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser>
    <Credentials>
      <SessionToken>${sessionToken}</SessionToken>
      <SecretAccessKey>${secretAccessKey}</SecretAccessKey>
      <Expiration>${expiration}</Expiration>
      <AccessKeyId>${accessKeyId}</AccessKeyId>
    </Credentials>
    <Provider>${issuer.issuer}</Provider>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`,
      { headers: { "Content-Type": "text/xml" } },
    );
  };
}

function podIdentityAgent({ issuer, subject, issue }: AwsState): CloudRoute {
  return async ({ method, url, headers }) => {
    if (url.pathname !== "/v1/credentials" || method !== "GET") return undefined;
    const checked = await issuer.check(headers.get("authorization") ?? "");
    if ("problem" in checked || !checked.aud.includes(audiences.podIdentity))
      return jsonError(400, "InvalidTokenException");
    if (checked.sub !== subject) return jsonError(403, "AccessDeniedException");
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue();
    return Response.json({
      ...{ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken },
      ...{ AccountId: "123456789012", Expiration: expiration },
    });
  };
}

function instanceMetadata({ issue }: AwsState): CloudRoute {
  const session = { token: "" };
  return ({ method, url, headers }) => {
    const { pathname } = url;
    if (pathname === "/latest/api/token") {
      if (!asksForSession(method, headers)) return new Response(null, { status: 400 });
      session.token = canary();
      return new Response(session.token);
    }
    if (!pathname.startsWith(ROLES)) return undefined;
    const given = headers.get("x-aws-ec2-metadata-token");
    if (session.token === "" || given !== session.token) return new Response(null, { status: 401 });
    if (pathname === ROLES) return new Response(NODE_ROLE);
    if (pathname !== `${ROLES}${NODE_ROLE}`) return new Response(null, { status: 404 });
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue();
    return Response.json({
      ...{ Code: "Success", LastUpdated: "2026-11-22T00:00:00Z", Type: "AWS-HMAC" },
      ...{ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken },
      Expiration: expiration,
    });
  };
}

function containerRegistry({ region, issued, password }: AwsState): CloudRoute {
  return (request) => {
    const { headers } = request;
    if (!headers.has("x-amz-target")) return undefined;
    if (!asksForToken(request)) return jsonError(400, "UnknownOperationException");
    const secretOf = (id: string) =>
      issued.find(({ accessKeyId }) => accessKeyId === id)?.secretAccessKey;
    const problem = signatureProblem(request, { region, service: "ecr", secretOf });
    if (problem === "the access key") return jsonError(400, "UnrecognizedClientException");
    if (problem !== undefined) return jsonError(403, "InvalidSignatureException");
    const id = /Credential=([^/]+)/.exec(headers.get("authorization") ?? "")?.[1];
    const owner = issued.find(({ accessKeyId }) => accessKeyId === id);
    if ((headers.get("x-amz-security-token") ?? undefined) !== owner?.sessionToken)
      return jsonError(403, "UnrecognizedClientException");
    const authorizationToken = Buffer.from(`AWS:${password}`).toString("base64");
    const expiresAt = Date.now() / 1000 + 43_200;
    const proxyEndpoint = `https://123456789012.dkr.ecr.${region}.amazonaws.com`;
    return Response.json(
      { authorizationData: [{ authorizationToken, expiresAt, proxyEndpoint }] },
      { headers: { "Content-Type": "application/x-amz-json-1.1" } },
    );
  };
}

/** STS's answer to a token that the role's trust policy does not cover. */
async function identityProblem(
  token: string,
  issuer: TokenIssuer,
  subject: string,
): Promise<Response | undefined> {
  const checked = await issuer.check(token);
  if ("problem" in checked) {
    const expired = checked.problem === "expired";
    return stsError(400, expired ? "ExpiredTokenException" : "InvalidIdentityToken");
  }
  if (!checked.aud.includes(audiences.irsa)) return stsError(400, "InvalidIdentityToken");
  return checked.sub === subject ? undefined : stsError(403, "AccessDenied");
}

/** IMDSv2 gives no session to a request through a proxy. */
function asksForSession(method: string, headers: Headers): boolean {
  const life = Number(headers.get("x-aws-ec2-metadata-token-ttl-seconds"));
  return method === "PUT" && life >= 1 && life <= 21_600 && !headers.has("x-forwarded-for");
}

function asksForToken({ method, headers, body }: CloudRequest): boolean {
  return (
    method === "POST" &&
    body === "{}" &&
    headers.get("content-type") === "application/x-amz-json-1.1" &&
    headers.get("x-amz-target") === "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken"
  );
}

function stsError(status: number, code: string): Response {
  const text = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${canary()}</Message></Error><RequestId>x</RequestId></ErrorResponse>`;
  return new Response(text, { status, headers: { "Content-Type": "text/xml" } });
}

function jsonError(status: number, code: string): Response {
  return Response.json({ __type: code, message: canary() }, { status });
}
