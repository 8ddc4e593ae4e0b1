import { cleanText } from "./clean-text.ts";
import type { Fetch } from "./client-options.ts";
import { certificateNames, speaksOtherScheme } from "./diagnose-connection.ts";
import { codeOf, transportError } from "./transport-error.ts";
import { VaultError } from "./vault-error.ts";
import type { RequestSubject } from "./vault-request.ts";
import type { VaultTls } from "./vault-tls.ts";

/** A request that got no response at all. */
export interface FailedConnection {
  readonly request: RequestSubject;
  readonly url: string;
  readonly error: unknown;
  readonly tls: VaultTls;
  readonly fetch: Fetch;
}

/** Finds out why no response came, asking the server again where fetch's code leaves it open. */
export async function connectionFailure(failed: FailedConnection): Promise<VaultError> {
  const { url, error, tls, fetch } = failed;
  // Who reads "connection refused" wants to know by whom.
  const operation = `${failed.request.operation} at ${new URL(url).origin}`;
  const request = { ...failed.request, operation };
  const code = codeOf(error);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return nameMismatch(failed);
  const https = url.startsWith("https:");
  if (code === (https ? "EPROTO" : "ECONNRESET") && (await speaksOtherScheme(url, fetch))) {
    return wrongScheme(request, https, error);
  }
  const givesMaterial = https && (tls.ca !== undefined || tls.cert !== undefined);
  return transportError(error, request, givesMaterial);
}

/** The vault address has the scheme that the port does not speak. */
export function wrongScheme(request: RequestSubject, https: boolean, cause?: unknown): VaultError {
  const [spoken, wanted] = https ? ["plain HTTP", "http://"] : ["TLS", "https://"];
  return new VaultError("TLS", `${request.operation}: the server speaks ${spoken} on this port`, {
    hint: `write ${wanted} in VAULT_ADDR, or address the other port`,
    path: request.path,
    cause,
  });
}

async function nameMismatch(failed: FailedConnection): Promise<VaultError> {
  const { request, url, error, tls, fetch } = failed;
  const wanted = tls.serverName ?? new URL(url).hostname;
  const names = await certificateNames(url, tls, fetch);
  const found = names === undefined ? "" : `, it has ${cleanText(names)}`;
  return new VaultError(
    "TLS",
    `${request.operation}: the server's certificate is not for "${wanted}"${found}`,
    {
      hint: "use a name of the certificate in VAULT_ADDR, or set VAULT_TLS_SERVER_NAME to one",
      path: request.path,
      cause: error,
    },
  );
}
