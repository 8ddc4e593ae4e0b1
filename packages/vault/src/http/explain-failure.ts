import { VaultError } from "../errors/vault-error.ts";
import { connectionFailure, type FailedConnection } from "./connection-failure.ts";
import { faultError } from "./fault-error.ts";

/** Says why a request has no complete answer; asks the server again if that is left open. */
export async function explainFailure(failed: FailedConnection): Promise<VaultError> {
  const { subject, sent, error } = failed;
  const { operation, path } = subject;
  if (error.fault === "body too large") {
    const message = `${operation}: the answer has more than ${sent.maxBytes} bytes`;
    return new VaultError("TOO_LARGE", message, { path, cause: error });
  }
  if (!error.answered) return connectionFailure(failed);
  const reading = `${operation}: in the middle of the answer`;
  return faultError(error, { operation: reading, path }, sent.tls);
}
