import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AwsStandIn, type AwsWay, awsStandIn } from "../testdata/aws-stand-in.ts";
import {
  failureOf,
  type LoginFiles,
  logIn,
  loginFiles,
  loginsOf,
  subject,
} from "../testdata/login-stage.ts";
import { type TokenClaims, type TokenIssuer, tokenIssuer } from "../testdata/token-issuer.ts";

let issuer: TokenIssuer;
let aws: AwsStandIn;
let files: LoginFiles;

beforeAll(async () => {
  issuer = await tokenIssuer();
  aws = awsStandIn({ issuer, subject });
  files = loginFiles();
});
afterAll(async () => {
  files[Symbol.dispose]();
  await aws[Symbol.asyncDispose]();
});

/** The variables of a way, with a token file if it has one. */
async function environmentOf(way: AwsWay, claims: Partial<TokenClaims> = {}) {
  const environment = aws.environment[way];
  if (way !== "irsa" && way !== "podIdentity") return environment;
  const token = await issuer.sign({ subject, audience: aws.audiences[way], ...claims });
  const name =
    way === "irsa" ? "AWS_WEB_IDENTITY_TOKEN_FILE" : "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
  return { ...environment, [name]: files.write(crypto.randomUUID(), `${token}\n`) };
}

async function loginBy(way: AwsWay, more: Readonly<Record<string, string>> = {}) {
  return loginsOf({ source: "aws", environment: { ...(await environmentOf(way)), ...more } });
}

describe("a password of ECR is had", () => {
  const rows: Readonly<Record<AwsWay, string[]>> = {
    keys: ["POST /"],
    irsa: ["POST /", "POST /"],
    podIdentity: ["GET /v1/credentials", "POST /"],
    instance: [
      "PUT /latest/api/token",
      "GET /latest/meta-data/iam/security-credentials/",
      "GET /latest/meta-data/iam/security-credentials/eks-node",
      "POST /",
    ],
  };
  for (const [way, requests] of Object.entries(rows)) {
    test(`by ${way}`, async () => {
      const before = aws.seen.length;
      const found = await logIn(await loginBy(way as AwsWay));
      expect(found).toEqual([{ username: "AWS", password: aws.password }]);
      expect(aws.seen.slice(before)).toEqual(requests);
    });
  }

  test("by the first identity of the environment, in the order of AWS's SDKs", async () => {
    const all = {
      ...(await environmentOf("instance")),
      ...(await environmentOf("podIdentity")),
      ...(await environmentOf("irsa")),
    };
    const before = aws.seen.length;
    await logIn(loginsOf({ source: "aws", environment: all }));
    expect(aws.seen.slice(before)).toEqual(["POST /", "POST /"]);
    const { AWS_ROLE_ARN: _, AWS_WEB_IDENTITY_TOKEN_FILE: __, ...others } = Object(all);
    await logIn(loginsOf({ source: "aws", environment: others }));
    expect(aws.seen).toContain("GET /v1/credentials");
  });

  test("for a registry with its own name, in the region of the identity", async () => {
    const registry = "registry.shop.test";
    const environment = await environmentOf("keys");
    const logins = loginsOf({ source: "aws", environment, registry });
    expect(await logIn(logins, registry)).toEqual([{ username: "AWS", password: aws.password }]);
  });

  test("with the token that the kubelet has put there since", async () => {
    const environment = await environmentOf("irsa", { subject: "another" });
    const path = environment["AWS_WEB_IDENTITY_TOKEN_FILE"] ?? "";
    const { code } = await failureOf(logIn(loginsOf({ source: "aws", environment })));
    expect(code).toBe("LOGIN_REFUSED");
    await Bun.write(path, await issuer.sign({ subject, audience: aws.audiences.irsa }));
    expect(await logIn(loginsOf({ source: "aws", environment }))).toHaveLength(1);
  });
});

describe("a login that fails says the step and what to change:", () => {
  const tokens: readonly (readonly [
    name: string,
    way: AwsWay,
    claims: Partial<TokenClaims>,
    message: RegExp,
    hint: string,
  ])[] = [
    [
      "a role that trusts another service account",
      ...(["irsa", { subject: "system:serviceaccount:other:other" }] as const),
      /^log in with aws: AssumeRoleWithWebIdentity at [^:]+:\d+: status 403 \(AccessDenied\)$/,
      "trust policy",
    ],
    [
      "a token for another audience",
      ...(["irsa", { audience: "vault" }] as const),
      /status 400 \(InvalidIdentityToken\)$/,
      "another audience than sts.amazonaws.com",
    ],
    [
      "a token that has ended",
      ...(["irsa", { lifeS: -5 }] as const),
      /status 400 \(ExpiredTokenException\)$/,
      "the kubelet replaces it",
    ],
    [
      "a service account without an association",
      ...(["podIdentity", { subject: "system:serviceaccount:other:other" }] as const),
      /get keys of the container credential provider at .*: status 403 \(AccessDeniedException\)$/,
      "Pod Identity association",
    ],
  ];
  for (const [name, way, claims, message, hint] of tokens) {
    test(name, async () => {
      const environment = await environmentOf(way, claims);
      const error = await failureOf(logIn(loginsOf({ source: "aws", environment })));
      expect(error.message).toMatch(message);
      expect([error.code, error.hint]).toEqual(["LOGIN_REFUSED", expect.stringContaining(hint)]);
    });
  }

  test("a secret key that is wrong", async () => {
    const logins = await loginBy("keys", { AWS_SECRET_ACCESS_KEY: "wrong" });
    const error = await failureOf(logIn(logins));
    expect(error.message).toEndWith("status 403 (InvalidSignatureException)");
    expect(error.hint).toContain("secret key is wrong");
  });

  test("a key that AWS does not know", async () => {
    const error = await failureOf(logIn(await loginBy("keys", { AWS_ACCESS_KEY_ID: "AKIDNONE" })));
    expect(error.message).toEndWith("(UnrecognizedClientException)");
  });

  test("a registry of another region, for which the stand-in takes no signature", async () => {
    const registry = "123456789012.dkr.ecr.us-east-1.amazonaws.com";
    const environment = await environmentOf("keys");
    const logins = loginsOf({ source: "aws", environment, registry });
    expect((await failureOf(logIn(logins, registry))).message).toEndWith(
      "(InvalidSignatureException)",
    );
  });

  test("no identity at all", async () => {
    const environment = { AWS_EC2_METADATA_DISABLED: "true" };
    const error = await failureOf(logIn(loginsOf({ source: "aws", environment })));
    expect(error.message).toBe("log in with aws: the operator has no identity of AWS");
    expect(error.hint).toContain("eks.amazonaws.com/role-arn");
  });

  test("its own name without a region", async () => {
    const registry = "registry.shop.test";
    const environment = { ...(await environmentOf("keys")), AWS_REGION: "" };
    const error = await failureOf(
      logIn(loginsOf({ source: "aws", environment, registry }), registry),
    );
    expect(error.message).toContain("AWS_REGION is not set");
  });
});
