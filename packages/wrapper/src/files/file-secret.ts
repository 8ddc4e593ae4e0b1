import type { SecretBytes } from "@svc/secret-bytes";
import type { FileError } from "./file-error.ts";

/** A secret as it was read from a file or a folder. */
export interface FileSecret {
  readonly path: string;
  readonly fields: ReadonlyMap<string, SecretBytes | null>;
  /** All of a JSON file, for a mapping that names the file and no field in it. */
  readonly whole?: { readonly field: string; readonly value: SecretBytes };
}

/** The outcome of one of several reads. */
export type FileOutcome =
  | { readonly ok: true; readonly secret: FileSecret }
  | { readonly ok: false; readonly error: FileError };
