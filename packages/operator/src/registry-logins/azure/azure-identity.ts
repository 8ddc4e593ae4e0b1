import type { EnvironmentReading } from "../environment-reading.ts";

/** The operator's identity at Entra. */
export type AzureIdentity = WorkloadIdentity | ManagedIdentity;

/** A service account that an application, or a managed identity, trusts. */
export interface WorkloadIdentity {
  readonly kind: "workload";
  readonly clientId: string;
  readonly tenantId: string;
  readonly tokenFile: string;
  readonly authority: URL;
}

/** An identity of the node. */
export interface ManagedIdentity {
  readonly kind: "managed";
  /** Which, if the node has several. */
  readonly clientId: string | undefined;
  readonly tenantId: string | undefined;
  readonly server: URL;
}

/** The variables of Azure's SDKs that are read, and their purpose. */
export const azureVariables = {
  AZURE_CLIENT_ID: "The identity; of the node's if it has several.",
  AZURE_TENANT_ID: "Its tenant.",
  AZURE_FEDERATED_TOKEN_FILE: "The token of Entra workload identity.",
  AZURE_AUTHORITY_HOST: "Entra's server; `https://login.microsoftonline.com/` if it is not set.",
  AZURE_POD_IDENTITY_AUTHORITY_HOST: "Another address of the instance metadata.",
} as const;

/**
 * Reads the identity: workload identity if there is a token file, else the node's managed
 * identity.
 */
export function readAzureIdentity(reading: EnvironmentReading): AzureIdentity {
  const clientId = reading.text("AZURE_CLIENT_ID");
  const tenantId = idIn(reading, "AZURE_TENANT_ID");
  const tokenFile = reading.text("AZURE_FEDERATED_TOKEN_FILE");
  const authority = reading.endpoint("AZURE_AUTHORITY_HOST");
  const server = reading.endpoint("AZURE_POD_IDENTITY_AUTHORITY_HOST");
  if (tokenFile === undefined) {
    const metadata = server ?? new URL("http://169.254.169.254/");
    return { kind: "managed", clientId, tenantId, server: metadata };
  }
  reading.together(["AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_ID", "AZURE_TENANT_ID"]);
  return {
    ...{ kind: "workload", clientId: clientId ?? "", tenantId: tenantId ?? "", tokenFile },
    authority: authority ?? new URL("https://login.microsoftonline.com/"),
  };
}

/** It becomes a part of a path. */
function idIn(reading: EnvironmentReading, name: string): string | undefined {
  const id = reading.text(name);
  if (id === undefined || /^[A-Za-z0-9.-]{1,253}$/.test(id)) return id;
  reading.refuse(name, "the id or the domain of a tenant", id);
  return undefined;
}
