import type { Values } from "@svc/settings";
import type { LoginSource } from "../registry-logins/login-provider.ts";
import {
  type LoginRule,
  parseLoginPattern,
  starProblem,
} from "../registry-logins/providers/login-rules.ts";
import { complain, type FlagReading, requireBeside } from "./flag-reading.ts";
import { imageLoginFlags } from "./image-login-flags.ts";
import type { MapEntry } from "./parse-map.ts";

/** How the operator itself logs in to registries. Plain data without a secret. */
export interface RegistryLoginSettings {
  readonly rules: readonly LoginRule[];
  readonly dockerConfig: string | undefined;
  readonly helperFolder: string | undefined;
}

type LoginFlags = typeof imageLoginFlags;
type LoginReading = Omit<FlagReading<LoginFlags>, "values"> & {
  readonly values: Values<LoginFlags>;
};

const LOGINS = imageLoginFlags.registryLogins.name;
const NAMESPACES = imageLoginFlags.registryLoginNamespaces.name;

/**
 * Reads the rules of logins, and complains of those that have no namespace and of stars that are
 * for registries of strangers.
 */
export function readImageLogins(reading: LoginReading): RegistryLoginSettings {
  const { registryLogins = [], registryLoginNamespaces = [] } = reading.values;
  const { dockerConfig, credentialHelpers: helperFolder } = reading.values;
  requireBeside(reading, imageLoginFlags, ["registryLoginNamespaces", "registryLogins"]);
  requireBeside(reading, imageLoginFlags, ["credentialHelpers", "dockerConfig"]);
  requireBeside(reading, imageLoginFlags, ["dockerConfig", "registryLogins"]);
  complainOfStrays(reading, registryLogins, registryLoginNamespaces);
  const usesFile = registryLogins.some(([, source]) => source === "docker-config");
  if (usesFile && dockerConfig === undefined && !reading.failed.has("dockerConfig")) {
    const wanted = `set where ${LOGINS} has docker-config`;
    complain(reading, { variable: "--docker-config", wanted, found: "it is not set" });
  }
  const rules = registryLogins.flatMap((entry) => ruleOf(entry, registryLoginNamespaces, reading));
  return { rules, dockerConfig, helperFolder };
}

function ruleOf(
  [text, source]: MapEntry<LoginSource>,
  allNamespaces: readonly MapEntry<string>[],
  reading: LoginReading,
): readonly LoginRule[] {
  const pattern = parseLoginPattern(text);
  if (pattern === undefined) return [];
  const wanted = starProblem(pattern, source);
  if (wanted !== undefined) {
    complain(reading, { variable: LOGINS, wanted, found: `got "${text}=${source}"` });
  }
  const namespaces = allNamespaces.flatMap(([key, namespace]) =>
    key === "*" || key === text ? [namespace] : [],
  );
  if (namespaces.length === 0 && !reading.failed.has("registryLoginNamespaces")) {
    const found = `no namespace may have it: write ${text}=NAMESPACE, or ${text}=* for all`;
    complain(reading, { variable: NAMESPACES, wanted: `set for ${text}`, found });
  }
  return [{ pattern, source, namespaces }];
}

/** A namespace of a pattern that no login has would be a right without effect. */
function complainOfStrays(
  reading: LoginReading,
  logins: readonly MapEntry<LoginSource>[],
  namespaces: readonly MapEntry<string>[],
): void {
  if (reading.failed.has("registryLogins") || logins.length === 0) return;
  const known = new Set(["*", ...logins.map(([text]) => text)]);
  for (const stray of new Set(namespaces.map(([key]) => key).filter((key) => !known.has(key)))) {
    const wanted = `a pattern of ${LOGINS}, or *`;
    complain(reading, { variable: NAMESPACES, wanted, found: `got "${stray}"` });
  }
}
