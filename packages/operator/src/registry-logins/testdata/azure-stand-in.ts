import { canary } from "@svc/testing";
import { bearerRegistry } from "./cloud-registry.ts";
import { type CloudRoute, differing, formOf, type StandIn, standIn } from "./stand-in.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/** Entra's token endpoint, Azure's instance metadata, and a registry's token exchange. */
export interface AzureStandIn extends StandIn {
  readonly tenantId: string;
  readonly clientId: string;
  readonly audience: string;
  /** Refresh tokens that the registry takes. */
  readonly good: ReadonlySet<string>;
}

/** The accepted callers. */
export interface AzureRequest {
  readonly issuer: TokenIssuer;
  readonly subject: string;
}

const RESOURCE = "https://containerregistry.azure.net";
const audience = "api://AzureADTokenExchange";

/** Starts it; the registry is at its address, too. */
export function azureStandIn({ issuer, subject }: AzureRequest): AzureStandIn {
  const tenantId = crypto.randomUUID();
  const clientId = crypto.randomUUID();
  const entra = new Set<string>();
  const good = new Set<string>();
  const isGood = (user: string, password: string) =>
    user === "00000000-0000-0000-0000-000000000000" && good.has(password);
  const registry = bearerRegistry({ realm: "/oauth2/token", isGood });
  const parts = { issuer, subject, tenantId, clientId, entra, good, host: () => server.host };
  const server = standIn(
    tokenEndpoint(parts),
    instanceMetadata(parts),
    tokenExchange(parts),
    ...registry,
  );
  return Object.assign(server, { tenantId, clientId, audience, good });
}

interface AzureState extends AzureRequest {
  readonly tenantId: string;
  readonly clientId: string;
  readonly entra: Set<string>;
  readonly good: Set<string>;
  readonly host: () => string;
}

function tokenEndpoint({ issuer, subject, tenantId, clientId, entra }: AzureState): CloudRoute {
  return async (request) => {
    const { pathname } = request.url;
    if (!pathname.endsWith("/oauth2/v2.0/token")) return undefined;
    if (pathname !== `/${tenantId}/oauth2/v2.0/token`) return refusal("AADSTS90002");
    const form = formOf(request);
    const wanted = {
      grant_type: "client_credentials",
      scope: `${RESOURCE}/.default`,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    };
    if (form === undefined || differing(form, wanted).length > 0) return refusal("AADSTS900144");
    if (form.get("client_id") !== clientId) return refusal("AADSTS700016");
    const problem = await assertionProblem(form.get("client_assertion") ?? "", issuer, subject);
    if (problem !== undefined) return refusal(problem);
    return Response.json({
      ...{ token_type: "Bearer", expires_in: 86_399, ext_expires_in: 86_399 },
      access_token: give(entra, "entra"),
    });
  };
}

function instanceMetadata({ clientId, entra }: AzureState): CloudRoute {
  return ({ url, headers, method }) => {
    if (url.pathname !== "/metadata/identity/oauth2/token") return undefined;
    const wanted = { "api-version": "2018-02-01", resource: RESOURCE };
    if (method !== "GET" || headers.get("metadata") !== "true")
      return Response.json({ error: "bad_request_102" }, { status: 400 });
    if (differing(url.searchParams, wanted).length > 0)
      return Response.json({ error: "invalid_resource" }, { status: 400 });
    const asked = url.searchParams.get("client_id");
    if (asked !== null && asked !== clientId)
      return Response.json({ error: "invalid_request" }, { status: 400 });
    return Response.json({
      ...{ token_type: "Bearer", expires_in: "86399", resource: RESOURCE, client_id: clientId },
      access_token: give(entra, "managed"),
    });
  };
}

function tokenExchange({ tenantId, entra, good, host }: AzureState): CloudRoute {
  return (request) => {
    if (request.url.pathname !== "/oauth2/exchange" || request.method !== "POST") return undefined;
    const form = formOf(request);
    const wanted = { grant_type: "access_token", service: host() };
    const tenant = form?.get("tenant") ?? tenantId;
    if (form === undefined || differing(form, wanted).length > 0 || tenant !== tenantId)
      return Response.json({ errors: [{ code: "BAD_REQUEST" }] }, { status: 400 });
    if (!entra.has(form.get("access_token") ?? ""))
      return Response.json({ errors: [{ code: "UNAUTHORIZED" }] }, { status: 401 });
    return Response.json({ refresh_token: give(good, "refresh") });
  };
}

function give(tokens: Set<string>, kind: string): string {
  const token = `${kind}.${canary()}`;
  tokens.add(token);
  return token;
}

/** Entra's code for an assertion that no federated credential is for. */
async function assertionProblem(
  assertion: string,
  issuer: TokenIssuer,
  subject: string,
): Promise<string | undefined> {
  const checked = await issuer.check(assertion);
  if ("problem" in checked) return checked.problem === "expired" ? "AADSTS700024" : "AADSTS700211";
  if (!checked.aud.includes(audience)) return "AADSTS700212";
  return checked.sub === subject ? undefined : "AADSTS700213";
}

function refusal(code: string): Response {
  const body = { error: "invalid_client", error_description: `${code}: ${canary()}` };
  return Response.json(body, { status: code === "AADSTS900144" ? 400 : 401 });
}
