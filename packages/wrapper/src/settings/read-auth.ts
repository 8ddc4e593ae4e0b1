import { complain, type LoginMethod, loginMethods, present } from "@svc/settings";
import { hasFailed, isGiven, labelOf, type Reading, type WrapperKey } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";
import type { RoleSettings, TokenSource, VaultAuth } from "./vault-auth.ts";

/**
 * Decides how the wrapper logs in.
 *
 * 1. A token, in VAULT_TOKEN or a file, selects the method token, regardless of the method setting.
 * 2. The method token without either waits for a token: the wrapper starts sealed.
 * 3. The methods kubernetes and jwt need a role, approle a role id, cert the client's certificate,
 *    and userpass a name and a password.
 */
export function readAuth(reading: Reading, tokenPresent: boolean): VaultAuth | undefined {
  const source = tokenSource(reading, tokenPresent);
  if (source !== undefined) return tokenAuth(reading, source);
  if (hasFailed(reading, "tokenFile") || hasFailed(reading, "authMethod")) return undefined;
  const { authMethod } = reading.values;
  warnAboutOthers(reading, authMethod);
  switch (authMethod) {
    case "token":
      return { method: "token", source: { kind: "unseal" } };
    case "kubernetes":
    case "jwt": {
      const role = roleSettings(reading, authMethod);
      return role && { method: authMethod, ...role };
    }
    case "approle":
      return appRoleAuth(reading);
    case "cert":
      return certAuth(reading);
    case "userpass":
      return userpassAuth(reading);
  }
}

/** The flag takes precedence over both variables, and of these the token before the file. */
function tokenSource(reading: Reading, tokenPresent: boolean): TokenSource | undefined {
  const path = reading.values.tokenFile;
  const fileIsFlag = reading.given.get("tokenFile")?.from === "flag";
  if (tokenPresent && isGiven(reading, "tokenFile")) {
    const [taken, left] = fileIsFlag
      ? ["--vault-token-file", "VAULT_TOKEN"]
      : ["VAULT_TOKEN", "VAULT_TOKEN_FILE"];
    reading.warnings.push(`${taken}: is used, and ${left} is not: both are set`);
  }
  if (tokenPresent && !fileIsFlag) return { kind: "environment" };
  return path === undefined ? undefined : { kind: "file", path };
}

function tokenAuth(reading: Reading, source: TokenSource): VaultAuth {
  const { authMethod } = reading.values;
  if (isGiven(reading, "authMethod") && !loginMethods[authMethod].takesToken) {
    const name = source.kind === "file" ? "VAULT_TOKEN_FILE" : "VAULT_TOKEN";
    reading.warnings.push(`VAULT_AUTH_METHOD: ${authMethod} has no effect: ${name} is set`);
  }
  warnAboutOthers(reading, "token");
  return { method: "token", source };
}

/** The settings that only some methods have. */
const ownKeys = [
  "authRole",
  "authJwt",
  "appRoleId",
  "appRoleSecretIdPath",
  "userpassUsername",
  "userpassPasswordPath",
] as const satisfies readonly WrapperKey[];

/** Those of each method. A role beside a token deserves no warning: clusters set one for all pods. */
const takenKeys: Readonly<Record<LoginMethod, readonly (typeof ownKeys)[number][]>> = {
  kubernetes: ["authRole", "authJwt"],
  jwt: ["authRole", "authJwt"],
  approle: ["appRoleId", "appRoleSecretIdPath"],
  cert: ["authRole"],
  userpass: ["userpassUsername", "userpassPasswordPath"],
  token: ["authRole", "authJwt"],
};

function warnAboutOthers(reading: Reading, method: LoginMethod): void {
  for (const key of ownKeys) {
    if (takenKeys[method].includes(key) || !isGiven(reading, key)) continue;
    const label = labelOf(reading, key, wrapperVariables[key].name);
    reading.warnings.push(`${label}: has no effect: the login method is ${method}`);
  }
}

function roleSettings(reading: Reading, method: "kubernetes" | "jwt"): RoleSettings | undefined {
  const { authRole: role, authMountPath: mountPath = method, authJwt: jwt } = reading.values;
  if (role !== undefined) return { role, mountPath, jwt };
  if (hasFailed(reading, "authRole")) return undefined;
  return complain(reading, {
    variable: "VAULT_AUTH_ROLE",
    wanted: `set when the method is ${method}`,
    found: "it is not set",
    hint: "to log in with a token, set VAULT_TOKEN or VAULT_TOKEN_FILE, for example to ~/.vault-token, where `bao login` keeps yours",
  });
}

function appRoleAuth(reading: Reading): VaultAuth | undefined {
  const { appRoleId: roleId, appRoleSecretIdPath: secretIdPath } = reading.values;
  const { authMountPath: mountPath = "approle" } = reading.values;
  if (roleId !== undefined) {
    return { method: "approle", roleId, mountPath, ...present({ secretIdPath }) };
  }
  if (hasFailed(reading, "appRoleId")) return undefined;
  return complain(reading, {
    variable: "VAULT_APPROLE_ROLE_ID",
    wanted: "set when the method is approle",
    found: "it is not set",
    hint: "`bao read auth/approle/role/NAME/role-id` shows it",
  });
}

/** The certificate is that of the connection, so there has to be one, over TLS. */
function certAuth(reading: Reading): VaultAuth | undefined {
  const { authRole: role, authMountPath: mountPath = "cert" } = reading.values;
  const { clientCertPath, clientKeyPath, vaultAddress } = reading.values;
  const variable = "VAULT_AUTH_METHOD";
  const hasCertificate = clientCertPath !== undefined && clientKeyPath !== undefined;
  if (!hasCertificate && !hasFailed(reading, "clientCertPath")) {
    const wanted = "set together with VAULT_CLIENT_CERT and VAULT_CLIENT_KEY if it is cert";
    complain(reading, { variable, wanted, found: "they are not set" });
  }
  if (vaultAddress?.startsWith("http:") === true) {
    const wanted =
      "an https:// VAULT_ADDR if it is cert: the certificate belongs to the connection";
    complain(reading, { variable, wanted, found: "VAULT_ADDR is http" });
  }
  return { method: "cert", mountPath, ...present({ role }) };
}

function userpassAuth(reading: Reading): VaultAuth | undefined {
  const { userpassUsername: username, userpassPasswordPath: passwordPath } = reading.values;
  const { authMountPath: mountPath = "userpass" } = reading.values;
  const found = { userpassUsername: username, userpassPasswordPath: passwordPath };
  for (const key of ["userpassUsername", "userpassPasswordPath"] as const) {
    if (found[key] !== undefined || hasFailed(reading, key)) continue;
    complain(reading, {
      variable: wrapperVariables[key].name,
      wanted: "set when the method is userpass",
      found: "it is not set",
    });
  }
  if (username === undefined || passwordPath === undefined) return undefined;
  return { method: "userpass", username, mountPath, passwordPath };
}
