import { mapDescriptor, readWholeFile, SyscallError } from "@svc/kernel";
import { Secret, type VaultClient } from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import type { VaultAuth } from "../settings.ts";
import type { Delivery } from "./delivery.ts";

// Far above any token or JWT, far below a file named by mistake.
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Reads the token, or logs in for one.
 *
 * @throws VaultError where the vault refuses the login.
 * @throws WrapperError `TOKEN_UNREADABLE` where a file cannot be read.
 */
export async function obtainToken(delivery: Delivery, client: VaultClient): Promise<Secret> {
  const { auth } = delivery.brief.settings.vault;
  switch (auth.method) {
    case "token":
      return auth.source.kind === "file"
        ? readSecretFile("VAULT_TOKEN_FILE", auth.source.path)
        : readTokenRegion(delivery);
    case "kubernetes":
      return logIn(auth, client);
  }
}

async function logIn(
  auth: Extract<VaultAuth, { method: "kubernetes" }>,
  client: VaultClient,
): Promise<Secret> {
  const jwt = readSecretFile("SVC_AUTH_JWT_PATH", auth.jwtPath);
  const login = await client.loginKubernetes({ mountPath: auth.mountPath, role: auth.role, jwt });
  return login.token;
}

function readTokenRegion({ brief, descriptors }: Delivery): Secret {
  const mapping = mapDescriptor(descriptors.token, brief.tokenLength, "read");
  try {
    return new Secret(mapping.bytes);
  } finally {
    mapping.unmap();
  }
}

function readSecretFile(variable: string, path: string): Secret {
  const bytes = readFileBytes(variable, path);
  const secret = new Secret(bytes);
  bytes.fill(0);
  return secret;
}

function readFileBytes(variable: string, path: string): Uint8Array {
  try {
    return readWholeFile(path, MAX_TOKEN_BYTES);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const message = `read ${variable} ${JSON.stringify(path)}: ${error.message}`;
    throw new WrapperError([failure("TOKEN_UNREADABLE", message)], error);
  }
}
