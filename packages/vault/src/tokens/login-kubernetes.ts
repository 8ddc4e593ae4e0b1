import type { VaultCaller } from "../http/vault-caller.ts";
import { type Login, type RoleLogin, requestLogin } from "./request-login.ts";

/** Logs in with the projected token of a Kubernetes service account. */
export function loginKubernetes(caller: VaultCaller, login: RoleLogin): Promise<Login> {
  const { role, jwt } = login;
  return requestLogin(caller, login, {
    body: { role, jwt },
    suffix: ` with role ${JSON.stringify(role)}`,
    hints: {
      // To strangers a vault says 403 for a mount that does not exist, too.
      DENIED:
        "check VAULT_AUTH_MOUNT_PATH, and that the role is bound to this service account, its namespace and the audience of its token",
    },
  });
}
