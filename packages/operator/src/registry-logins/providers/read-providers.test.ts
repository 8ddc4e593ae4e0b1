import { describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import type { LoginSource } from "../login-provider.ts";
import { readProviders } from "./read-providers.ts";

const secret = canary();

function problemsOf(source: LoginSource, environment: Readonly<Record<string, string>>) {
  const { problems } = readProviders({
    sources: [source],
    environment: new Map(Object.entries(environment)),
    settings: { insecureRegistries: {}, defaultRegistry: undefined },
    dockerConfig: undefined,
    helperFolder: undefined,
  });
  return problems.map(({ message }) => message);
}

describe("a variable of an identity is refused:", () => {
  const rows: readonly (readonly [LoginSource, Readonly<Record<string, string>>, string])[] = [
    [
      "aws",
      { AWS_ACCESS_KEY_ID: "AKID" },
      "AWS_SECRET_ACCESS_KEY: must be set together with AWS_ACCESS_KEY_ID: it is not set",
    ],
    [
      "aws",
      { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: `${secret} x` },
      "AWS_SECRET_ACCESS_KEY: must be a text without spaces and control characters: it is not",
    ],
    [
      "aws",
      { AWS_ROLE_ARN: "arn" },
      "AWS_WEB_IDENTITY_TOKEN_FILE: must be set together with AWS_ROLE_ARN: it is not set",
    ],
    [
      "aws",
      { AWS_REGION: "evil.test/" },
      'AWS_REGION: must be the name of a region, such as eu-central-1: got "evil.test/"',
    ],
    [
      "aws",
      { AWS_ENDPOINT_URL_STS: `http://${secret}@sts.test/` },
      "AWS_ENDPOINT_URL_STS: must be an https URL, or an http URL of the loopback or the link: it is not",
    ],
    [
      "aws",
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.0.0.1/" },
      "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be an https URL, or an http URL of the loopback or the link: it is not",
    ],
    [
      "google",
      { GCE_METADATA_HOST: "a/b" },
      'GCE_METADATA_HOST: must be HOST or HOST:PORT: got "a/b"',
    ],
    [
      "azure",
      { AZURE_FEDERATED_TOKEN_FILE: "/t", AZURE_CLIENT_ID: "c" },
      "AZURE_TENANT_ID: must be set together with AZURE_FEDERATED_TOKEN_FILE, AZURE_CLIENT_ID: it is not set",
    ],
    [
      "azure",
      { AZURE_TENANT_ID: "../x" },
      'AZURE_TENANT_ID: must be the id or the domain of a tenant: got "../x"',
    ],
  ];
  for (const [source, environment, message] of rows) {
    test(message.split(":")[0] ?? "", () => {
      const problems = problemsOf(source, environment);
      expect(problems).toEqual([message]);
      expect(problems.join()).not.toContain(secret);
    });
  }

  test("all at once", () => {
    const environment = { AWS_REGION: "X", AWS_ROLE_ARN: "a", AWS_ENDPOINT_URL_ECR: "x" };
    expect(problemsOf("aws", environment)).toHaveLength(3);
  });
});

describe("a variable of an identity is taken:", () => {
  const rows: readonly (readonly [LoginSource, Readonly<Record<string, string>>])[] = [
    ["aws", { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1/credentials" }],
    ["aws", { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://[fd00:ec2::23]/v1/credentials" }],
    ["aws", { AWS_REGION: "us-gov-west-1", AWS_ROLE_ARN: "" }],
    ["aws", { AWS_REGION: "eusc-de-east-1" }],
    ["google", { GCE_METADATA_HOST: "metadata.google.internal" }],
    ["azure", { AZURE_AUTHORITY_HOST: "https://login.microsoftonline.us/" }],
    ["azure", { AWS_REGION: "not of Azure" }],
  ];
  for (const [source, environment] of rows) {
    test(JSON.stringify(environment), () => expect(problemsOf(source, environment)).toEqual([]));
  }
});
