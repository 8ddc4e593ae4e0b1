import { canary } from "@svc/testing";
import { type CloudRoute, differing, formOf, type StandIn, standIn } from "./stand-in.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/** Google's metadata server, Security Token Service, IAM Credentials and OAuth server. */
export interface GoogleStandIn extends StandIn {
  /** Tokens that registries take. */
  readonly good: ReadonlySet<string>;
  readonly audience: string;
  readonly email: string;
  /** The file of GOOGLE_APPLICATION_CREDENTIALS, for a token file. */
  readonly externalAccount: (tokenFile: string, impersonates: boolean) => object;
  /** The same for the key of a service account. */
  readonly accountKey: () => Promise<object>;
}

/** The accepted callers. */
export interface GoogleRequest {
  readonly issuer: TokenIssuer;
  readonly subject: string;
}

const PLATFORM = "https://www.googleapis.com/auth/cloud-platform";
const READ = "https://www.googleapis.com/auth/devstorage.read_only";
const rsa = {
  ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 },
  publicExponent: new Uint8Array([1, 0, 1]),
};

const audience =
  "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k";
const email = "svc-operator@project.iam.gserviceaccount.com";

/** Starts it. */
export function googleStandIn({ issuer, subject }: GoogleRequest): GoogleStandIn {
  const good = new Set<string>();
  const keys: CryptoKey[] = [];

  const state = { issuer, subject, good, federated: new Set<string>(), keys };
  const server = standIn(
    metadataServer(state),
    tokenService(state),
    iamCredentials(state),
    oauthServer({ ...state, origin: () => server.origin }),
  );
  return Object.assign(server, {
    ...{ good, audience, email, externalAccount: externalAccountFor(server.origin) },
    accountKey: accountKeyFor(server.origin, keys),
  });
}

interface GoogleState extends GoogleRequest {
  readonly good: Set<string>;
  readonly federated: Set<string>;
  /** They check assertions that the given keys have signed. */
  readonly keys: readonly CryptoKey[];
}

function metadataServer({ good }: GoogleState): CloudRoute {
  return ({ url, headers, method }) => {
    if (!url.pathname.startsWith("/computeMetadata/")) return undefined;
    if (headers.get("metadata-flavor") !== "Google" || headers.has("x-forwarded-for"))
      return new Response(null, { status: 403 });
    if (method !== "GET" || !url.pathname.endsWith("/instance/service-accounts/default/token"))
      return new Response(null, { status: 404 });
    const answer = oauth(good);
    answer.headers.set("Metadata-Flavor", "Google");
    return answer;
  };
}

function tokenService({ issuer, subject, good, federated }: GoogleState): CloudRoute {
  return async (request) => {
    if (request.url.pathname !== "/v1/token") return undefined;
    const form = formOf(request);
    const wanted = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      scope: PLATFORM,
    };
    if (form === undefined || differing(form, wanted).length > 0) return refusal("invalid_request");
    if (form.get("audience") !== audience) return refusal("invalid_target");
    const checked = await issuer.check(form.get("subject_token") ?? "");
    if ("problem" in checked || !checked.aud.includes(`https:${audience}`))
      return refusal("invalid_grant");
    if (checked.sub !== subject) return refusal("unauthorized_client");
    const answer = oauth(good, { issued_token_type: wanted.requested_token_type });
    federated.add([...good].at(-1) ?? "");
    return answer;
  };
}

function iamCredentials({ good, federated }: GoogleState): CloudRoute {
  return (request) => {
    const { url, headers, body, method } = request;
    if (!url.pathname.endsWith(":generateAccessToken")) return undefined;
    const bearer = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    if (!federated.has(bearer)) return new Response(null, { status: 401 });
    const { scope, lifetime } = JSON.parse(body);
    if (method !== "POST" || !url.pathname.includes(`/${email}:`))
      return new Response(null, { status: 403 });
    if (scope?.[0] !== READ || lifetime !== "3600s") return new Response(null, { status: 400 });
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    return Response.json({ accessToken: give(good), expireTime });
  };
}

function oauthServer({
  good,
  keys,
  origin,
}: GoogleState & { readonly origin: () => string }): CloudRoute {
  return async (request) => {
    if (request.url.pathname !== "/token") return undefined;
    const form = formOf(request);
    const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    if (form?.get("grant_type") !== grant) return refusal("unsupported_grant_type");
    const claims = await signedClaims(form.get("assertion") ?? "", keys);
    const isFor = claims?.["iss"] === email && claims["aud"] === `${origin()}/token`;
    const lifeS = Number(claims?.["exp"]) - Number(claims?.["iat"]);
    if (!isFor || claims["scope"] !== READ || !(lifeS > 0 && lifeS <= 3600))
      return refusal("invalid_grant");
    return oauth(good);
  };
}

function externalAccountFor(origin: string): GoogleStandIn["externalAccount"] {
  return (file, impersonates) => ({
    ...{ type: "external_account", audience },
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${origin}/v1/token`,
    credential_source: { file, format: { type: "text" } },
    ...(impersonates && {
      service_account_impersonation_url: `${origin}/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
    }),
  });
}

function accountKeyFor(origin: string, keys: CryptoKey[]): GoogleStandIn["accountKey"] {
  return async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(rsa, true, [
      "sign",
      "verify",
    ]);
    keys.push(publicKey);
    const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey));
    const lines = der.toString("base64").replace(/(.{64})/g, "$1\n");
    return {
      ...{ type: "service_account", client_email: email, private_key_id: "k1" },
      private_key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
      token_uri: `${origin}/token`,
    };
  };
}

function give(tokens: Set<string>): string {
  const token = `ya29.${canary()}`;
  tokens.add(token);
  return token;
}

function oauth(tokens: Set<string>, more: object = {}): Response {
  return Response.json({
    ...{ access_token: give(tokens), expires_in: 3599, token_type: "Bearer" },
    ...more,
  });
}

/** Claims of an assertion that one of the keys has signed with RS256. */
async function signedClaims(
  assertion: string,
  keys: readonly CryptoKey[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [head = "", body = "", signature = ""] = assertion.split(".");
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString() || "{}");
  const bytes = new TextEncoder().encode(`${head}.${body}`);
  const given = Buffer.from(signature, "base64url");
  const checks = keys.map((key) => crypto.subtle.verify(rsa.name, key, given, bytes));
  if (alg !== "RS256" || !(await Promise.all(checks)).includes(true)) return undefined;
  return JSON.parse(Buffer.from(body, "base64url").toString());
}

function refusal(error: string): Response {
  return Response.json({ error, error_description: canary() }, { status: 400 });
}
