import type { Problem } from "@svc/settings";
import type { RegistrySettings } from "../../image/registry-settings.ts";
import { awsProvider } from "../aws/aws-provider.ts";
import { awsVariables, readAwsIdentity } from "../aws/read-aws-identity.ts";
import { azureVariables, readAzureIdentity } from "../azure/azure-identity.ts";
import { azureProvider } from "../azure/azure-provider.ts";
import { dockerConfigProvider } from "../docker-config/docker-config-provider.ts";
import { EnvironmentReading } from "../environment-reading.ts";
import { googleVariables, readGoogleIdentity } from "../google/google-identity.ts";
import { googleProvider } from "../google/google-provider.ts";
import type { LoginProvider, LoginSource } from "../login-provider.ts";

/**
 * Every variable of the environment that the operator reads, and only for the sources of its rules.
 */
export const identityVariables = { ...awsVariables, ...googleVariables, ...azureVariables };

/** The inputs of providers. */
export interface ProviderRequest {
  readonly sources: readonly LoginSource[];
  readonly environment: ReadonlyMap<string, string>;
  readonly settings: Pick<RegistrySettings, "insecureRegistries" | "defaultRegistry">;
  /** Undefined if no rule is for docker's configuration. */
  readonly dockerConfig: string | undefined;
  readonly helperFolder: string | undefined;
}

/** Providers by source, and everything that is wrong with the variables of their identities. */
export interface ReadProviders {
  readonly providers: ReadonlyMap<LoginSource, LoginProvider>;
  readonly problems: readonly Problem[];
}

const HELPER_LIMIT_MS = 4000;

/** Makes a provider for each source. */
export function readProviders(wanted: ProviderRequest): ReadProviders {
  const reading = new EnvironmentReading(wanted.environment);
  const providers = wanted.sources.map(
    (source) => [source, providerOf(source, wanted, reading)] as const,
  );
  return { providers: new Map(providers), problems: reading.problems };
}

function providerOf(
  source: LoginSource,
  wanted: ProviderRequest,
  reading: EnvironmentReading,
): LoginProvider {
  const { settings, dockerConfig: path = "", helperFolder: folder } = wanted;
  switch (source) {
    case "aws":
      return awsProvider(readAwsIdentity(reading));
    case "google":
      return googleProvider(readGoogleIdentity(reading));
    case "azure":
      return azureProvider(readAzureIdentity(reading), settings);
    case "docker-config": {
      const environment = helperEnvironment(wanted.environment);
      const helpers = { folder, environment, limitMs: HELPER_LIMIT_MS };
      const { defaultRegistry } = settings;
      return dockerConfigProvider({ path, helpers, defaultRegistry });
    }
  }
}

/** Helpers of clouds find their identity by the same variables; nothing else is passed on. */
function helperEnvironment(
  environment: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const known = [...environment].filter(([name]) => Object.hasOwn(identityVariables, name));
  return { PATH: "/usr/bin:/bin", ...Object.fromEntries(known) };
}
