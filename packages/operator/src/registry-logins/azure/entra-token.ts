import { askLoginServer } from "../ask-login-server.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf, tokenOf } from "../read-answer.ts";
import { readTokenFile } from "../read-login-file.ts";
import type { AzureIdentity, ManagedIdentity, WorkloadIdentity } from "./azure-identity.ts";

/** The audience of tokens for registries (AcrAudience of kubernetes-sigs/cloud-provider-azure). */
const RESOURCE = "https://containerregistry.azure.net";
const federation =
  "the identity needs a federated credential with the cluster's issuer, the subject system:serviceaccount:NAMESPACE:NAME of the operator and the audience api://AzureADTokenExchange";
const webhook =
  "label the operator's pods azure.workload.identity/use: true and annotate its service account with azure.workload.identity/client-id";

/**
 * Gets a token of Entra for registries.
 *
 * @throws ImageError
 */
export function entraToken(identity: AzureIdentity, way: LoginWay): Promise<string> {
  return identity.kind === "workload" ? workloadToken(identity, way) : managedToken(identity, way);
}

/**
 * The service account's token as a client assertion (Microsoft identity platform, client
 * credentials, third case).
 */
async function workloadToken(identity: WorkloadIdentity, way: LoginWay): Promise<string> {
  const { clientId, tenantId, tokenFile, authority } = identity;
  const step = "get a token for the service account's";
  const assertion = await readTokenFile({
    path: tokenFile,
    named: "AZURE_FEDERATED_TOKEN_FILE",
    operation: way.operation,
    hint: webhook,
  });
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    scope: `${RESOURCE}/.default`,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  const { text } = await askLoginServer(way, {
    step,
    url: new URL(`/${tenantId}/oauth2/v2.0/token`, authority),
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form.toString(),
    hints: {
      refused: federation,
      words: {
        AADSTS70021: federation,
        AADSTS700211: "no federated credential has the cluster's issuer",
        AADSTS700212: "no federated credential has the audience api://AzureADTokenExchange",
        AADSTS700213: "no federated credential has the operator's service account as its subject",
        AADSTS700024: "the token file is out of date: the kubelet replaces it in time",
        AADSTS700016: "AZURE_CLIENT_ID is not known in this tenant",
        AADSTS90002: "AZURE_TENANT_ID is not known",
        invalid_client: federation,
      },
    },
  });
  return accessTokenIn(text, `${way.operation}: ${step} at ${authority.host}`);
}

/** The node's own identity (Azure instance metadata service). */
async function managedToken({ clientId, server }: ManagedIdentity, way: LoginWay): Promise<string> {
  const step = "get a token of the instance metadata";
  const url = new URL("/metadata/identity/oauth2/token", server);
  url.searchParams.set("api-version", "2018-02-01");
  url.searchParams.set("resource", RESOURCE);
  if (clientId !== undefined) url.searchParams.set("client_id", clientId);
  const { text } = await askLoginServer(way, {
    step,
    url,
    headers: { Metadata: "true" },
    hints: {
      refused: "the node has no managed identity, or not the one of AZURE_CLIENT_ID",
      unreachable: `the network policy has to allow ${server.host}; better, use workload identity: ${webhook}`,
      words: { invalid_request: "the node has several identities: set AZURE_CLIENT_ID" },
    },
  });
  return accessTokenIn(text, `${way.operation}: ${step} at ${server.host}`);
}

function accessTokenIn(text: string, operation: string): string {
  return tokenOf(fieldsOf(text, operation)["access_token"], "access token", operation);
}
