import { parseSettings, type SettingsInput, type WrapperSettings } from "../../settings.ts";

/** Variables of a test. */
export type Environment = Readonly<Record<string, string>>;

/** The rest of the input. */
export type Extras = Partial<Omit<SettingsInput, "environment">>;

/** The least that starts: each test changes one thing. */
export const least: Environment = {
  VAULT_ADDR: "https://vault.example:8200",
  VAULT_AUTH_ROLE: "app",
  SVC_SECRET_PATHS: "secret/data/app",
  SVC_ENV_MAP: "password=DB_PASSWORD",
  SVC_ORIGINAL_CMD: "/bin/app",
};

/** The wrapper's settings from an environment. */
export function parse(environment: Environment, extras: Extras = {}) {
  return parseSettings({
    environment: new Map(Object.entries(environment)),
    flags: [],
    program: [],
    tokenPresent: false,
    ...extras,
  });
}

/** The settings of an environment that has to be right. */
export function settingsOf(environment: Environment, extras: Extras = {}): WrapperSettings {
  const result = parse(environment, extras);
  if (result.kind === "settings") return result.settings;
  throw new Error(`expected settings: ${JSON.stringify(result)}`);
}

/** The messages of all problems of an environment. */
export function messagesOf(environment: Environment, extras: Extras = {}): readonly string[] {
  const result = parse(environment, extras);
  return result.kind === "problems" ? result.problems.map(({ message }) => message) : [];
}

/** The warnings of an environment that has to be right. */
export function warningsOf(environment: Environment, extras: Extras = {}): readonly string[] {
  const result = parse(environment, extras);
  return result.kind === "settings" ? result.warnings : [`it is ${result.kind}`];
}

/** The operator gives permits. */
export const permits = {
  SVC_PERMITS_ADDR: "https://svc-operator.svc-system.svc:8444",
  SVC_PERMITS_CACERT_BYTES: "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
  SVC_PERMITS_TOKEN_FILE: "/var/run/secrets/svc.internal/permits/token",
};
