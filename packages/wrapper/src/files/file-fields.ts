import type { SecretBytes, SecretJson } from "@svc/secret-bytes";
import type { FileSecret } from "./file-secret.ts";

const BRACE = "{";

/** The content of a file as fields, or the reason why it has none. */
export type FileFields =
  | Pick<FileSecret, "fields" | "whole">
  | "repeated key"
  | "not well-formed Unicode";

/**
 * The fields of a file. The members of a JSON object are its fields, as those of a KV secret are.
 * Any other content is one field with the name of the file, without the end of its last line. Pure.
 *
 * @param name the last part of the file's path
 */
export function fileFields(name: string, content: SecretBytes): FileFields {
  const value = content.withoutLineEnd();
  const one = { fields: new Map([[name, value]]) };
  if (!content.trimmed().startsWith(BRACE)) return one;
  const json = content.parseJson();
  if (json === "repeated key") return json;
  // A text that only begins like JSON is a value like any other.
  if (json === "not JSON" || json.kind !== "object") return one;
  if (!json.isWellFormed()) return "not well-formed Unicode";
  return { fields: membersOf(json), whole: { field: name, value } };
}

function membersOf(json: SecretJson): FileSecret["fields"] {
  return new Map(
    json.keys().map((key) => {
      const member = json.member(key);
      return [key, member === undefined || member.kind === "null" ? null : member.bytes()] as const;
    }),
  );
}
