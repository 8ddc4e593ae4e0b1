import { VaultError } from "../errors/vault-error.ts";
import { cleanText } from "./clean-text.ts";
import { faultError } from "./fault-error.ts";
import { speaksOtherScheme } from "./speaks-other-scheme.ts";
import type { HttpRequest, Transport, TransportError } from "./transport.ts";
import type { RequestSubject } from "./vault-request.ts";

/** A request that got no answer at all. */
export interface FailedConnection {
  readonly subject: RequestSubject;
  readonly sent: HttpRequest;
  readonly error: TransportError;
  readonly transport: Transport;
}

/** Finds out why no answer came, asking the server again if the fault leaves it open. */
export async function connectionFailure(failed: FailedConnection): Promise<VaultError> {
  const { subject, sent, error, transport } = failed;
  // The reader of "connection refused" needs the address.
  const operation = `${subject.operation} at ${new URL(sent.url).origin}`;
  if (error.fault === "wrong name") return nameMismatch(failed);
  const https = sent.url.startsWith("https:");
  // A server of TLS that is spoken to in plain HTTP hangs up, or sends an alert of TLS before.
  if ((https ? ["handshake"] : ["closed", "not HTTP"]).includes(error.fault)) {
    const wrong = await speaksOtherScheme(sent.url, transport);
    if (wrong) return wrongScheme({ ...subject, operation }, https, error);
  }
  return faultError(error, { ...subject, operation }, sent.tls);
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

function nameMismatch({ subject, sent, error }: FailedConnection): VaultError {
  const wanted = sent.tls.serverName ?? new URL(sent.url).hostname;
  const { names } = error;
  const found = names === undefined ? "" : `, it has ${cleanText(names.join(", "))}`;
  return new VaultError(
    "TLS",
    `${subject.operation}: the server's certificate is not for "${wanted}"${found}`,
    {
      hint: "use a name of the certificate in VAULT_ADDR, or set VAULT_TLS_SERVER_NAME to one",
      path: subject.path,
      cause: error,
    },
  );
}
