import type { DefaultRegistry } from "../../image/default-registry.ts";
import { matchCredentials } from "../../image/match-credentials.ts";
import type { ImagePlace } from "../../image/place-pattern.ts";
import { loginRefused } from "../login-failure.ts";
import type { IssuedLogin, LoginProvider } from "../login-provider.ts";
import type { LoginWay } from "../login-way.ts";
import { readLoginFile } from "../read-login-file.ts";
import { CredentialHelpers } from "./credential-helpers.ts";
import { type DockerConfig, parseDockerConfig } from "./parse-docker-config.ts";
import type { HelperPrograms } from "./run-credential-helper.ts";

/** The path of docker's configuration, and the helpers that it may run. */
export interface DockerConfigRequest {
  readonly path: string;
  readonly helpers: HelperPrograms;
  readonly defaultRegistry: DefaultRegistry | undefined;
}

/** A file may be changed, and is read again then. */
const LIFE_MS = 30_000;

/**
 * Logs in by docker's configuration: its helper for the registry, else its credentials, else its
 * store.
 */
export function dockerConfigProvider(wanted: DockerConfigRequest): LoginProvider {
  const { path, defaultRegistry } = wanted;
  const helpers = new CredentialHelpers(wanted.helpers);
  return {
    source: "docker-config",
    hint: "check the credentials of the file of --docker-config",
    keyOf: ({ registry, repository }) => `${registry}/${repository}`,
    logIn: (place, way) => logIn(place, { path, defaultRegistry, helpers }, way),
  };
}

interface Asking extends Pick<DockerConfigRequest, "path" | "defaultRegistry"> {
  readonly helpers: CredentialHelpers;
}

async function logIn(
  place: ImagePlace,
  { path, helpers, defaultRegistry }: Asking,
  way: LoginWay,
): Promise<IssuedLogin> {
  const { operation } = way;
  const hint = "mount a Secret with docker's configuration there";
  const text = await readLoginFile({ path, named: "--docker-config", operation, hint });
  const reading = `${operation}: read ${path} of --docker-config`;
  const config = parseDockerConfig(text, reading);
  const helper = helperFor(place, config);
  if (helper === undefined) {
    const credentials = matchCredentials(config.entries, place, defaultRegistry);
    if (credentials.length > 0) return { credentials, lifeMs: LIFE_MS };
  }
  const name = helper?.name ?? config.store;
  if (name === undefined) {
    // Perhaps one of these was meant for the registry.
    const found = `${reading}: it has nothing for ${place.registry}, and ${config.problems.join(", ")}`;
    if (config.problems.length > 0) throw loginRefused(found, { hint });
    return { credentials: [], lifeMs: LIFE_MS };
  }
  const registry = helper?.registry ?? place.registry;
  return { credentials: await helpers.ask({ name, registry }, way), lifeMs: LIFE_MS };
}

/**
 * Keys of `credHelpers` are names of registries, with a scheme or a path if `docker login` had
 * one.
 */
function helperFor({ registry }: ImagePlace, { helpers }: DockerConfig) {
  for (const [key, name] of helpers) {
    const bare = key.replace(/^https?:\/\//, "").split("/", 1)[0];
    if (bare === registry) return { registry: key, name };
  }
  return undefined;
}
