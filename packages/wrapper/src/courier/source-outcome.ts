import type { SecretData, VaultError } from "@svc/vault";
import type { Failure } from "../errors.ts";
import { FileError } from "../files/file-error.ts";
import type { FileSecret } from "../files/file-secret.ts";
import { vaultFailure } from "./vault-failure.ts";

/** A secret as it was read, from a vault or a file. */
export type ReadSecret = SecretData & Pick<FileSecret, "whole">;

/** The outcome of one of several reads. */
export type SourceOutcome =
  | { readonly ok: true; readonly secret: ReadSecret }
  | { readonly ok: false; readonly error: VaultError | FileError };

/** A failed read, for the log and the supervisor. */
export function sourceFailure(error: VaultError | FileError): Failure {
  return error instanceof FileError ? error.failure : vaultFailure(error);
}
