import { readFileSync, statSync } from "node:fs";
import { AgentError } from "../agent-error.ts";

/** Where the certificates of the TCP server are. */
export interface TlsPaths {
  readonly certPath: string;
  readonly keyPath: string;
  /** The CA certificates of clients. */
  readonly clientCaPath?: string;
}

/** Their contents. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** @throws AgentError `REGISTRATION_TLS_UNUSABLE` */
export function readTlsFiles({ certPath, keyPath, clientCaPath }: TlsPaths): TlsTexts {
  const texts = { cert: textOf(certPath), key: textOf(keyPath) };
  return clientCaPath === undefined ? texts : { ...texts, ca: textOf(clientCaPath) };
}

/** Detects that one of the files has changed; a mounted Secret changes by its link. */
export function tlsStamp({ certPath, keyPath, clientCaPath }: TlsPaths): string {
  return [certPath, keyPath, clientCaPath].map((path) => (path ? stampOf(path) : "")).join(" ");
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.dev}:${found.ino}:${found.mtimeMs}:${found.size}`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    throw new AgentError(
      "REGISTRATION_TLS_UNUSABLE",
      `read ${JSON.stringify(path)}: ${found}`,
      error,
    );
  }
}
