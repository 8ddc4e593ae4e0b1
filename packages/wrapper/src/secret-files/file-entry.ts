import type { SecretBytes } from "@svc/secret-bytes";
import type { FileMapping } from "@svc/settings";

/** A file of the program and its content. */
export interface FileEntry {
  readonly file: FileMapping;
  readonly value: SecretBytes;
  /** The path of the secret. */
  readonly path: string;
}
