import { encodeUtf8, libc } from "svc:engine";

/** Writes a line to the standard output. */
export function say(text: string): void {
  const bytes = encodeUtf8(`${text}\n`.toWellFormed());
  libc["write"]?.(1, bytes, bytes.length);
}
