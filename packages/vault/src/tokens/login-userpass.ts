import type { VaultCaller } from "../http/vault-caller.ts";
import type { Secret } from "../values/secret.ts";
import { type Login, type LoginPlace, requestLogin } from "./request-login.ts";

/** A login with a name and a password. */
export interface UserpassLogin extends LoginPlace {
  readonly username: string;
  readonly password: Secret;
}

const HINT =
  "check VAULT_AUTH_MOUNT_PATH, VAULT_USERPASS_USERNAME and the password in VAULT_USERPASS_PASSWORD_FILE; after several wrong ones the vault may lock the user out";

/** Logs in with a name, which stands in the path, and a password. */
export function loginUserpass(caller: VaultCaller, login: UserpassLogin): Promise<Login> {
  const { username, password } = login;
  return requestLogin(caller, login, {
    below: username,
    body: { password },
    hints: { DENIED: HINT, BAD_REQUEST: HINT },
  });
}
