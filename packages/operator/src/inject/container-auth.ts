import { type LoginMethod, parseLoginMethod } from "@svc/settings";
import type { Container } from "../pod/pod.ts";
import { takesFilesAlone } from "./files-alone.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** How the wrapper of a container will log in. */
export interface ContainerAuth {
  /** By a token of the pod's account. */
  readonly usesAccount: boolean;
  /** By the token in the Secret of `token-secret`. */
  readonly readsTokenSecret: boolean;
  /** By a token that POST /v1/unseal brings, for which it waits. */
  readonly isSealed: boolean;
  /** Variables that it needs beside those that every wrapper needs. */
  readonly needs: readonly string[];
}

const none = { usesAccount: false, readsTokenSecret: false, isSealed: false, needs: [] } as const;
const withTokenSecret: ContainerAuth = { ...none, readsTokenSecret: true };

/**
 * Decides it by the wrapper's own rules: a token selects the method, regardless of the method
 * setting.
 */
export function containerAuth(container: Container, settings: InjectionSettings): ContainerAuth {
  const { values } = settings;
  if (takesFilesAlone(container, settings)) return none;
  if (setsVariable(container, "VAULT_TOKEN", "VAULT_TOKEN_FILE")) return withTokenSecret;
  const own = ownText(container, "VAULT_AUTH_METHOD");
  const method = own === undefined ? values.vaultAuthMethod : methodNamed(own);
  switch (method) {
    case "kubernetes":
    case "jwt":
      return { ...none, usesAccount: true, needs: ["VAULT_AUTH_ROLE"] };
    case "approle":
    case "cert":
    case "userpass":
      // The container itself has the names in variables, and its pod mounts the files.
      return none;
    case "token":
      return values.tokenSecret === undefined ? { ...none, isSealed: true } : withTokenSecret;
  }
}

/** The wrapper refuses another name, so its pod may have the parts of any method. */
function methodNamed(text: string): LoginMethod {
  const parsed = parseLoginMethod(text);
  return parsed.ok ? parsed.value : "kubernetes";
}
