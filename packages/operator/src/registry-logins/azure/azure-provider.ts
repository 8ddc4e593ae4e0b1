import type { ImagePlace } from "../../image/place-pattern.ts";
import { RegistryCredential } from "../../image/registry-credential.ts";
import { originOf } from "../../image/registry-endpoint.ts";
import type { RegistrySettings } from "../../image/registry-settings.ts";
import { askLoginServer } from "../ask-login-server.ts";
import type { IssuedLogin, LoginProvider } from "../login-provider.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf, tokenOf } from "../read-answer.ts";
import type { AzureIdentity } from "./azure-identity.ts";
import { entraToken } from "./entra-token.ts";

/** The user whose password is a refresh token ("Authenticate with an Azure container registry"). */
const USER = "00000000-0000-0000-0000-000000000000";
const STEP = "exchange the token of Entra";
const right = "the identity needs the role AcrPull, or Container Registry Repository Reader, there";
/** A registry's credential is valid for three hours; the kubelet's provider keeps it for one. */
const LIFE_MS = 3_600_000;

/** Logs in to registries of Azure, each of which exchanges the token for its own. */
export function azureProvider(
  identity: AzureIdentity,
  settings: Pick<RegistrySettings, "insecureRegistries">,
): LoginProvider {
  return {
    source: "azure",
    hint: right,
    keyOf: ({ registry }) => registry,
    logIn: (place, way) => logIn(place, { identity, settings, way }),
  };
}

interface Exchange {
  readonly identity: AzureIdentity;
  readonly settings: Pick<RegistrySettings, "insecureRegistries">;
  readonly way: LoginWay;
}

/** `POST /oauth2/exchange` of the registry itself (Azure/acr, docs/AAD-OAuth.md). */
async function logIn(
  { registry }: ImagePlace,
  { identity, settings, way }: Exchange,
): Promise<IssuedLogin> {
  const { tenantId } = identity;
  const form = new URLSearchParams({
    grant_type: "access_token",
    service: registry,
    ...(tenantId !== undefined && { tenant: tenantId }),
    access_token: await entraToken(identity, way),
  });
  const { text } = await askLoginServer(way, {
    step: STEP,
    url: new URL("/oauth2/exchange", originOf(registry, settings)),
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form.toString(),
    hints: { refused: right },
  });
  const operation = `${way.operation}: ${STEP} at ${registry}`;
  const password = tokenOf(fieldsOf(text, operation)["refresh_token"], "refresh token", operation);
  const credential = new RegistryCredential({ username: USER, password });
  return { credentials: [credential], lifeMs: LIFE_MS };
}
