import { complain, hasFailed, isGiven, type Reading } from "./reading.ts";
import type { TokenSource, VaultAuth } from "./wrapper-settings.ts";

/**
 * Decides how the wrapper logs in.
 *
 * 1. A token, in VAULT_TOKEN or a file, selects the method token, regardless of the method setting.
 * 2. The method token without either waits for a token: the wrapper starts sealed.
 * 3. The method kubernetes needs a role.
 */
export function readAuth(reading: Reading, tokenPresent: boolean): VaultAuth | undefined {
  const { values } = reading;
  const source = tokenSource(reading, tokenPresent);
  if (source !== undefined) return tokenAuth(reading, source);
  if (hasFailed(reading, "tokenFile") || hasFailed(reading, "authMethod")) return undefined;
  if (values.authMethod === "token") return { method: "token", source: { kind: "unseal" } };
  return kubernetesAuth(reading);
}

/** The flag goes before both variables, and of these the token before the file. */
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
  if (isGiven(reading, "authMethod") && reading.values.authMethod === "kubernetes") {
    const name = source.kind === "file" ? "VAULT_TOKEN_FILE" : "VAULT_TOKEN";
    reading.warnings.push(`VAULT_AUTH_METHOD: kubernetes has no effect: ${name} is set`);
  }
  return { method: "token", source };
}

function kubernetesAuth(reading: Reading): VaultAuth | undefined {
  const { authRole: role, authMountPath: mountPath, authJwt: jwt } = reading.values;
  if (role !== undefined) return { method: "kubernetes", role, mountPath, jwt };
  if (hasFailed(reading, "authRole")) return undefined;
  return complain(reading, {
    variable: "VAULT_AUTH_ROLE",
    wanted: "set when the method is kubernetes",
    found: "it is not set",
    hint: "to log in with a token, set VAULT_TOKEN or VAULT_TOKEN_FILE",
  });
}
