import { BootstrapError } from "../bootstrap-error.ts";
import { sameContent } from "./same-content.ts";
import type { SecretClient, SecretContent, SecretRevision } from "./secret-object.ts";

/** A write that is to be tried. */
export interface RehearsedWrite {
  readonly content: SecretContent;
  /** Undefined if there is no such Secret. */
  readonly revision: SecretRevision | undefined;
  /** True if nothing secret is in it. */
  readonly isDummy: boolean;
}

/**
 * Tries a write without making it, and checks the result: an admission webhook or policy that
 * changes
 * Secrets would spoil the only copy of a key.
 *
 * @throws BootstrapError `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export async function rehearseWrite(
  secret: SecretClient,
  { content, revision, isDummy }: RehearsedWrite,
): Promise<"accepted" | "conflict"> {
  const left = await secret.rehearse(content, revision, { isDummy });
  if (left === "conflict") return "conflict";
  if (sameContent(left, content)) return "accepted";
  const found = "a client or an admission webhook changes the written data: nothing was written";
  throw new BootstrapError("OUTPUT_NOT_KEPT", `try to write ${secret.name}: ${found}`);
}
