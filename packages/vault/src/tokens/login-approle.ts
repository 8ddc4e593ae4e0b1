import type { VaultCaller } from "../http/vault-caller.ts";
import type { Secret } from "../values/secret.ts";
import { type Login, type LoginPlace, requestLogin } from "./request-login.ts";

/** A login with a role id, which differs from the name of the role, and a secret id. */
export interface AppRoleLogin extends LoginPlace {
  readonly roleId: Secret;
  /** Absent for a role with `bind_secret_id=false`. */
  readonly secretId?: Secret | undefined;
}

const HINT =
  "check VAULT_AUTH_MOUNT_PATH, VAULT_APPROLE_ROLE_ID and VAULT_APPROLE_SECRET_ID_FILE; a secret id may have expired, be used up, or be bound to other addresses";

/** Logs in with a role id and a secret id. The messages name neither. */
export function loginAppRole(caller: VaultCaller, login: AppRoleLogin): Promise<Login> {
  const { roleId, secretId } = login;
  return requestLogin(caller, login, {
    body: { role_id: roleId, secret_id: secretId },
    hints: { DENIED: HINT, BAD_REQUEST: HINT },
  });
}
