import type { VaultCaller } from "../http/vault-caller.ts";
import { type Login, type RoleLogin, requestLogin } from "./request-login.ts";

const HINT =
  "check VAULT_AUTH_MOUNT_PATH, and that issuer, key, audience, subject and claims of the JWT are those of the mount and the role, and that it has not expired";

/** Logs in with a JWT that the vault itself verifies, by the keys of the mount. */
export function loginJwt(caller: VaultCaller, login: RoleLogin): Promise<Login> {
  const { role, jwt } = login;
  return requestLogin(caller, login, {
    body: { role, jwt },
    suffix: ` with role ${JSON.stringify(role)}`,
    hints: { DENIED: HINT, BAD_REQUEST: HINT },
  });
}
