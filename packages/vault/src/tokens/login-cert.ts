import type { VaultCaller } from "../http/vault-caller.ts";
import { type Login, type LoginPlace, requestLogin } from "./request-login.ts";

/** A login with the client certificate of the connection (TLS). */
export interface CertLogin extends LoginPlace {
  /** The name of a certificate role. Absent, the vault looks for one that fits. */
  readonly role?: string | undefined;
}

const HINT =
  "check VAULT_AUTH_MOUNT_PATH and VAULT_AUTH_ROLE, and that VAULT_CLIENT_CERT is signed by an authority of the role, has its names, and has not expired. A proxy that ends TLS in front of the vault hides the certificate";

/** Logs in with the certificate that the connection has shown. */
export function loginCert(caller: VaultCaller, login: CertLogin): Promise<Login> {
  const { role } = login;
  return requestLogin(caller, login, {
    body: { name: role },
    ...(role !== undefined && { suffix: ` with role ${JSON.stringify(role)}` }),
    hints: { DENIED: HINT, BAD_REQUEST: HINT },
  });
}
