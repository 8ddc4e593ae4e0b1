import { type PermitQuestion, permitSayings, rotationBys } from "@svc/protocol";
import { isFields, jsonIn } from "../image/json-fields.ts";

/** The most that a question has: a token, and three short fields. */
export const MOST_QUESTION_BYTES = 20 * 1024;

/** Reads the body of a question; a text names its fault, and quotes nothing of it. */
export function parseQuestion(body: Uint8Array): PermitQuestion | string {
  const value = jsonIn(body);
  if (!isFields(value)) return "it is not a JSON object";
  const { token, say, by, expiresInSeconds } = value;
  const said = permitSayings.find((word) => word === say);
  const way = rotationBys.find((word) => word === by);
  if (typeof token !== "string" || token === "") return "token: must be a text";
  if (said === undefined) return `say: must be one of ${permitSayings.join(", ")}`;
  if (way === undefined) return `by: must be one of ${rotationBys.join(", ")}`;
  if (expiresInSeconds === undefined) return { token, say: said, by: way };
  if (typeof expiresInSeconds !== "number" || !(expiresInSeconds >= 0)) {
    return "expiresInSeconds: must be a number from 0";
  }
  return { token, say: said, by: way, expiresInSeconds };
}
