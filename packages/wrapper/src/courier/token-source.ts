import { SyscallError } from "@svc/kernel";
import { readSecretFile, type SecretBytes } from "@svc/secret-bytes";
import { type Login, type RoleLogin, Secret, type VaultClient, VaultError } from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
// Not through settings.ts: the courier has no use for the tables, and loading them takes time.
import {
  type JwtSource,
  loginFacts,
  type RoleSettings,
  type VaultAuth,
} from "../settings/vault-auth.ts";
import { vaultOf } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import type { HeldToken } from "./held-token.ts";
import type { Session } from "./session-region.ts";

// Far above any token or JWT, far below a file named by mistake.
const MAX_TOKEN_BYTES = 64 * 1024;
// A standby node that has not heard of the auth method's configuration yet does so within a minute.
const STANDBY_PATIENCE_MS = 60_000;

/**
 * The token of the session or of its file; a login if there is neither.
 *
 * @throws VaultError if the vault refuses the login.
 * @throws WrapperError `TOKEN_UNREADABLE` if a file cannot be read.
 */
export async function holdToken(
  context: CourierContext,
  session: Session,
  client: VaultClient,
): Promise<HeldToken> {
  const { auth } = vaultOf(context);
  const { tokenPath } = loginFacts(auth);
  if (tokenPath !== undefined) return { token: secretInFile("VAULT_TOKEN_FILE", tokenPath) };
  if (session.token !== undefined) return { token: session.token };
  const held = await logIn(auth, client, context);
  if (held !== undefined) return held;
  throw new WrapperError([failure("TOKEN_REFUSED", "read the token: there is none")]);
}

/**
 * Logs in with the files as they are on the disk now, or with a JWT of the agent; undefined if a
 * client has to send a token.
 */
export async function logIn(
  auth: VaultAuth,
  client: VaultClient,
  context: CourierContext,
): Promise<HeldToken | undefined> {
  const request = loginRequest(auth, client, context);
  if (request === undefined) return undefined;
  const { token, ttlMs, renewable, isBatch } = await request({}).catch(async (error) => {
    if (!(error instanceof VaultError) || error.code !== "DENIED") throw error;
    if (!(await hasStandbys(client))) throw error;
    const { log } = context;
    log.warn("the login was refused; a standby node may not know the configuration yet: retrying");
    return request({ retryDeniedForMs: STANDBY_PATIENCE_MS });
  });
  const life = { ttlMs, renewable, own: true, ...(isBatch && { isBatch }) };
  return { token, life: { ...life, toldAtMs: performance.now() } };
}

/** The login, which may be sent again with more patience. */
type LoginRequest = (patience: { readonly retryDeniedForMs?: number }) => Promise<Login>;

function loginRequest(
  auth: VaultAuth,
  client: VaultClient,
  context: CourierContext,
): LoginRequest | undefined {
  switch (auth.method) {
    case "kubernetes": {
      const login = roleLogin(auth, context);
      return (patience) => client.loginKubernetes({ ...login, ...patience });
    }
    case "jwt": {
      const login = roleLogin(auth, context);
      return (patience) => client.loginJwt({ ...login, ...patience });
    }
    case "approle": {
      const { mountPath, secretIdPath: path } = auth;
      const roleId = new Secret(auth.roleId);
      const secretId =
        path === undefined ? undefined : secretInFile("VAULT_APPROLE_SECRET_ID_FILE", path);
      return (patience) => client.loginAppRole({ mountPath, roleId, secretId, ...patience });
    }
    case "cert": {
      const { mountPath, role } = auth;
      return (patience) => client.loginCert({ mountPath, role, ...patience });
    }
    case "userpass": {
      const { mountPath, username, passwordPath } = auth;
      const password = secretInFile("VAULT_USERPASS_PASSWORD_FILE", passwordPath);
      return (patience) => client.loginUserpass({ mountPath, username, password, ...patience });
    }
    case "token":
      return undefined;
  }
}

function roleLogin({ mountPath, role, jwt }: RoleSettings, context: CourierContext): RoleLogin {
  return { mountPath, role, jwt: jwtOf(jwt, context) };
}

function jwtOf({ kind, path }: JwtSource, context: CourierContext): Secret {
  switch (kind) {
    case "file":
      return secretInFile("SVC_AUTH_JWT_PATH", path);
    case "agent":
      return secretOf("SVC_AUTH_JWT_PATH", path, context.agentToken());
  }
}

/** Whether the refusal may be that of a standby. A vault of one node is authoritative. */
async function hasStandbys(client: VaultClient): Promise<boolean> {
  try {
    return await client.isHighlyAvailable();
  } catch {
    return false;
  }
}

function secretInFile(variable: string, path: string): Secret {
  return secretOf(variable, path, readFile(variable, path));
}

function secretOf(variable: string, path: string, bytes: SecretBytes): Secret {
  try {
    return new Secret(bytes);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const message = `${variable} ${JSON.stringify(path)}: ${error.message}`;
    throw new WrapperError([failure("TOKEN_UNREADABLE", message)], error);
  }
}

function readFile(variable: string, path: string): SecretBytes {
  try {
    return readSecretFile(path, MAX_TOKEN_BYTES);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const message = `read ${variable} ${JSON.stringify(path)}: ${error.message}`;
    throw new WrapperError([failure("TOKEN_UNREADABLE", message)], error);
  }
}
