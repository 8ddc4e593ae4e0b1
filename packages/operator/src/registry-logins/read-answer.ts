import { type Fields, parseFields } from "../image/json-fields.ts";
import { loginRefused } from "./login-failure.ts";

const hint = "check the address of the server in the operator's settings and environment";
const LONGEST_TOKEN = 32 * 1024;

/**
 * Reads an answer, or a file, as a JSON object.
 *
 * @throws ImageError `LOGIN_REFUSED`, without a word of it
 */
export function fieldsOf(text: string, operation: string, advice: string = hint): Fields {
  try {
    return parseFields(new TextEncoder().encode(text), operation);
  } catch (error) {
    const message = error instanceof Error ? error.message : `${operation}: it is not JSON`;
    throw loginRefused(message, { hint: advice });
  }
}

/**
 * A text that can be sent in a header.
 *
 * @throws ImageError `LOGIN_REFUSED`
 */
export function tokenOf(value: unknown, name: string, operation: string): string {
  if (typeof value === "string" && isSendable(value)) return value;
  throw loginRefused(`${operation}: the answer has no ${name} that could be sent`, { hint });
}

/**
 * Whether a text may become a part of a header: neither empty nor with spaces or control
 * characters.
 */
export function isSendable(text: string): boolean {
  return text.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(text);
}
