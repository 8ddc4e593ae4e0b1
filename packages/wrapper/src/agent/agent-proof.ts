import { readWholeFile } from "@svc/kernel";
import { readSecretFile, type SecretBytes } from "@svc/secret-bytes";
import type { AgentSettings } from "../settings/wrapper-settings.ts";

const MOST_TOKEN_BYTES = 16 * 1024;
const MOST_PEM_BYTES = 1024 * 1024;

/** How an agent over TCP proves itself to the wrapper, and with a certificate also the reverse. */
export interface AgentTls {
  /** PEM texts; the public authorities if there is no `ca`. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: SecretBytes;
  /** The name that the agent's certificate must have, in place of the address. */
  readonly serverName?: string;
}

/** Reads the files that the settings name. @throws SyscallError */
export function readAgentTls(tls: AgentSettings["tls"]): AgentTls {
  const { caPath, certPath, keyPath, serverName } = tls;
  return {
    ...(caPath === undefined ? {} : { ca: readText(caPath) }),
    ...(certPath === undefined ? {} : { cert: readText(certPath) }),
    ...(keyPath === undefined ? {} : { key: readSecretFile(keyPath, MOST_PEM_BYTES) }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/**
 * The token that identifies the caller; undefined if there is no valid header. The caller tries all
 * the same. The function reads the token for every stream, because the kubelet replaces it.
 */
export function readAgentToken(path: string): SecretBytes | undefined {
  try {
    const token = readSecretFile(path, MOST_TOKEN_BYTES).trimmed();
    return token.length > 0 && token.firstInvisible() === -1 ? token : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  return new TextDecoder().decode(readWholeFile(path, MOST_PEM_BYTES));
}
