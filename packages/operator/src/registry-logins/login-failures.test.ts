import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CANARY_PREFIX } from "@svc/testing";
import type { LoginSource } from "./login-provider.ts";
import { awsStandIn } from "./testdata/aws-stand-in.ts";
import { azureStandIn } from "./testdata/azure-stand-in.ts";
import { googleStandIn } from "./testdata/google-stand-in.ts";
import { ECR, failureOf, logIn, loginFiles, loginsOf, subject } from "./testdata/login-stage.ts";
import type { CloudRequest, CloudRoute, StandIn } from "./testdata/stand-in.ts";
import { tokenIssuer } from "./testdata/token-issuer.ts";

/** One request of a login, and how to make it. */
interface Step {
  readonly source: LoginSource;
  readonly registry: string;
  readonly server: StandIn;
  readonly environment: Readonly<Record<string, string>>;
  readonly isIt: (request: CloudRequest) => boolean;
}

const steps = new Map<string, Step>();
const names = [
  ...["AssumeRoleWithWebIdentity", "GetAuthorizationToken", "Pod Identity's agent"],
  ...["the session of the instance metadata", "the role of the instance metadata"],
  ...["the keys of the instance metadata", "Google's metadata server"],
  ...["Google's token exchange", "generateAccessToken", "Entra", "Azure's instance metadata"],
  "the exchange of a registry of Azure",
] as const;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const issuer = await tokenIssuer();
  const files = stack.use(loginFiles());
  const aws = stack.use(awsStandIn({ issuer, subject }));
  const google = stack.use(googleStandIn({ issuer, subject }));
  const azure = stack.use(azureStandIn({ issuer, subject }));
  const token = async (audience: string) =>
    files.write(crypto.randomUUID(), await issuer.sign({ subject, audience }));
  const path = (wanted: string) => (request: CloudRequest) => request.url.pathname === wanted;
  const irsa = {
    ...aws.environment.irsa,
    AWS_WEB_IDENTITY_TOKEN_FILE: await token(aws.audiences.irsa),
  };
  const pod = {
    ...aws.environment.podIdentity,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await token(aws.audiences.podIdentity),
  };
  const account = google.externalAccount(await token(`https:${google.audience}`), true);
  const file = files.write("account.json", JSON.stringify(account));
  const workload = {
    ...{ AZURE_AUTHORITY_HOST: azure.origin, AZURE_CLIENT_ID: azure.clientId },
    AZURE_TENANT_ID: azure.tenantId,
    AZURE_FEDERATED_TOKEN_FILE: await token(azure.audience),
  };
  const ofAws = { source: "aws", registry: ECR, server: aws } as const;
  const ofGoogle = { source: "google", registry: "gcr.io", server: google } as const;
  const ofAzure = { source: "azure", registry: azure.host, server: azure } as const;
  const roles = "/latest/meta-data/iam/security-credentials/";
  const instance = { ...ofAws, environment: aws.environment.instance };
  const federated = { ...ofGoogle, environment: { GOOGLE_APPLICATION_CREDENTIALS: file } };
  const made: readonly Step[] = [
    { ...ofAws, environment: irsa, isIt: ({ body }) => body.includes("Action=") },
    { ...ofAws, environment: irsa, isIt: ({ headers }) => headers.has("x-amz-target") },
    { ...ofAws, environment: pod, isIt: path("/v1/credentials") },
    { ...instance, isIt: path("/latest/api/token") },
    { ...instance, isIt: path(roles) },
    { ...instance, isIt: path(`${roles}eks-node`) },
    {
      ...ofGoogle,
      environment: { GCE_METADATA_HOST: google.host },
      isIt: ({ url }) => url.pathname.startsWith("/computeMetadata/"),
    },
    { ...federated, isIt: path("/v1/token") },
    { ...federated, isIt: ({ url }) => url.pathname.endsWith(":generateAccessToken") },
    { ...ofAzure, environment: workload, isIt: path(`/${azure.tenantId}/oauth2/v2.0/token`) },
    {
      ...ofAzure,
      environment: { AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.origin },
      isIt: path("/metadata/identity/oauth2/token"),
    },
    { ...ofAzure, environment: workload, isIt: path("/oauth2/exchange") },
  ];
  for (const [index, step] of made.entries()) steps.set(names[index] ?? "", step);
});
afterAll(() => stack.disposeAsync());

const flavor = { headers: { "Metadata-Flavor": "Google" } };
const tooMuch = "x".repeat(200 * 1024);

/** A server's behaviour, with the resulting code and message. */
const faults: Readonly<Record<string, readonly [CloudRoute, code: string, message: RegExp]>> = {
  "refuses with status 403": [
    () => new Response(CANARY_PREFIX, { status: 403 }),
    "LOGIN_REFUSED",
    /: status 403$/,
  ],
  "sends on to elsewhere": [
    () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1:1/" } }),
    "LOGIN_REFUSED",
    /: status 302$/,
  ],
  "fails with status 503": [
    () => new Response(CANARY_PREFIX, { status: 503 }),
    "LOGIN_UNAVAILABLE",
    /: status 503$/,
  ],
  "asks to wait with status 429": [
    () => new Response(null, { status: 429 }),
    "LOGIN_UNAVAILABLE",
    /: status 429$/,
  ],
  "answers with a page instead": [
    () => new Response(`<html>${CANARY_PREFIX} ${CANARY_PREFIX}`, flavor),
    "LOGIN_REFUSED",
    /: the answer (?:is not JSON|has no |names no role)/,
  ],
  "answers with JSON that is not an object": [
    () => new Response('[{"canary-": 1}]', flavor),
    "LOGIN_REFUSED",
    /: the answer (?:is not a JSON object|has no |names no role)|status 401$/,
  ],
  "answers with nothing": [
    () => new Response("", flavor),
    "LOGIN_REFUSED",
    /: the answer (?:is not JSON|has no |names no role)/,
  ],
  "answers with a token that ends a header": [
    () => Response.json({ access_token: "a\r\nX: y", refresh_token: "a b", Token: "c\n" }, flavor),
    "LOGIN_REFUSED",
    /: the answer (?:has no |names no role|is not a success)|status 401$/,
  ],
  "answers with too much": [
    () => new Response(tooMuch, flavor),
    "LOGIN_REFUSED",
    /: at most 131072 bytes are read/,
  ],
  "never answers": [
    () => new Promise<Response>(() => undefined),
    "LOGIN_UNAVAILABLE",
    /: no complete answer within 1000 ms$/,
  ],
  "stops in the middle": [
    () => new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from("{")) }), flavor),
    "LOGIN_UNAVAILABLE",
    /: no complete answer within 1000 ms$/,
  ],
};

for (const name of names) {
  describe(`at ${name}`, () => {
    for (const [fault, [answer, code, message]] of Object.entries(faults)) {
      test(fault, async () => {
        const step = steps.get(name);
        if (step === undefined) throw new TypeError(`there is no step ${name}`);
        const { source, registry, server, environment, isIt } = step;
        let met = 0;
        server.fault = (request) => {
          if (!isIt(request)) return undefined;
          met += 1;
          return answer(request);
        };
        const requestMs = message.source.includes("no complete answer") ? 1000 : 20_000;
        const limits = { totalMs: 100_000, requestMs };
        const logins = loginsOf({ source, registry, environment, limits });
        const error = await failureOf(logIn(logins, registry));
        server.fault = undefined;
        expect(met).toBe(1);
        expect(error.message).toMatch(message);
        expect([error.code, error.message.split(":")[0]]).toEqual([code, `log in with ${source}`]);
        expect(error.hint).not.toBe("");
        expect(Bun.inspect(error, { depth: 9 })).not.toContain(CANARY_PREFIX);
      });
    }
  });
}

describe("if a token file", () => {
  const variables: readonly (readonly [LoginSource, string, string])[] = [
    ["aws", "AssumeRoleWithWebIdentity", "AWS_WEB_IDENTITY_TOKEN_FILE"],
    ["aws", "Pod Identity's agent", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"],
    ["google", "Google's token exchange", "GOOGLE_APPLICATION_CREDENTIALS"],
    ["azure", "Entra", "AZURE_FEDERATED_TOKEN_FILE"],
  ];
  const contents: Readonly<Record<string, readonly [string | undefined, RegExp]>> = {
    "is missing": [undefined, /it cannot be read \(ENOENT\)$/],
    "is empty": ["\n", /it is empty$|: the answer is not JSON$/],
    "holds something else": [`${CANARY_PREFIX} x`, /it holds no token$|: the answer is not JSON$/],
  };
  for (const [source, name, variable] of variables) {
    for (const [what, [text, message]] of Object.entries(contents)) {
      test(`of ${variable} ${what}`, async () => {
        using files = loginFiles();
        const step = steps.get(name);
        if (step === undefined) throw new TypeError(`there is no step ${name}`);
        const path = text === undefined ? "/nowhere/token" : files.write("token", text);
        const environment = { ...step.environment, [variable]: path };
        const logins = loginsOf({ source, registry: step.registry, environment });
        const error = await failureOf(logIn(logins, step.registry));
        expect(error.code).toBe("LOGIN_REFUSED");
        expect(error.message).toMatch(message);
        expect(error.message).toContain(`read ${path} of ${variable}: `);
        expect(Bun.inspect(error)).not.toContain(CANARY_PREFIX);
      });
    }
  }
});
