import type { Container } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** How the wrapper of a container will log in; `sealed` waits for a token by POST /v1/unseal. */
export type ContainerAuth = "kubernetes" | "token" | "sealed";

/**
 * Decides it by the wrapper's own rules: a token selects the method, regardless of the method
 * setting.
 */
export function containerAuth(container: Container, { values }: InjectionSettings): ContainerAuth {
  if (setsVariable(container, "VAULT_TOKEN", "VAULT_TOKEN_FILE")) return "token";
  const method = ownText(container, "VAULT_AUTH_METHOD") ?? values.vaultAuthMethod;
  if (method !== "token") return "kubernetes";
  return values.tokenSecret === undefined ? "sealed" : "token";
}
