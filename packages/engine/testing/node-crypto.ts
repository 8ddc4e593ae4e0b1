import { sha256OfFile } from "svc:engine";
import { closeDescriptor, createPlainMemory, writeAt } from "@svc/kernel";
import { onlyBun } from "./needs-bun.ts";

// `node:crypto` for tests on the engine, as far as they use it.

/** SHA-256 of texts and bytes. */
export function createHash(_algorithm: "sha256") {
  const parts: Uint8Array[] = [];
  const hash = {
    update(part: string | Uint8Array) {
      parts.push(typeof part === "string" ? new TextEncoder().encode(part) : part);
      return hash;
    },
    digest: (_format: "hex"): string => digest(parts),
  };
  return hash;
}

function digest(parts: readonly Uint8Array[]): string {
  const { fd } = createPlainMemory("digested");
  try {
    let position = 0;
    for (const part of parts) {
      writeAt(fd, part, position);
      position += part.length;
    }
    return sha256OfFile(fd);
  } finally {
    closeDescriptor(fd);
  }
}

export const randomUUID = onlyBun("randomUUID of node:crypto");
