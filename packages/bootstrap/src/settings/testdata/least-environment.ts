import { type BootstrapSettings, parseBootstrapSettings } from "../../settings.ts";

/** Variables of a test. */
export type Environment = Readonly<Record<string, string>>;

/** The least that starts: each test changes one thing. */
export const least: Environment = {
  STORE_ADDR: "https://store.vault.svc:8200",
  STORE_NAMESPACE: "vault",
  STORE_RELEASE_NAME: "store",
};

/** What `svc secretstore init` makes of an environment and flags. */
export function parse(environment: Environment, flags: readonly string[] = []) {
  return parseBootstrapSettings({ environment: new Map(Object.entries(environment)), flags });
}

/** The required settings. */
export function settingsOf(
  environment: Environment,
  flags: readonly string[] = [],
): BootstrapSettings {
  const result = parse(environment, flags);
  if (result.kind === "settings") return result.settings;
  throw new Error(`expected settings: ${JSON.stringify(result)}`);
}

/** The messages of all problems. */
export function messagesOf(
  environment: Environment,
  flags: readonly string[] = [],
): readonly string[] {
  const result = parse(environment, flags);
  return result.kind === "problems" ? result.problems.map(({ message }) => message) : [];
}

/** The warnings of the required settings. */
export function warningsOf(environment: Environment): readonly string[] {
  const result = parse(environment);
  return result.kind === "settings" ? result.warnings : [`it is ${result.kind}`];
}
