import { vaultTlsVariables } from "@svc/settings";

/** How the store's certificate is verified, for its service and for each of its pods. */
export const tlsVariables = vaultTlsVariables("TLS to the store", "store");
