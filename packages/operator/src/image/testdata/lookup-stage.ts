import type { CredentialEntry } from "../docker-auths.ts";
import { ImageError } from "../image-error.ts";
import { type LookupOptions, lookUpImage } from "../look-up-image.ts";
import { type CredentialParts, RegistryCredential } from "../registry-credential.ts";
import { type RegistrySettings, registryDefaults } from "../registry-settings.ts";
import { type Answering, repository, type TestServer } from "./serve-registry.ts";
import { smallImage } from "./small-image.ts";

/** An image, and a registry that has it as `app:latest`. */
export const image = smallImage();
export const plain = repository({ latest: image.manifest }, image.config);
/** Where the pods of stories may run. */
export const linux = { os: "linux", architectures: ["amd64", "arm64"] };

/** Settings in which the servers speak plain HTTP. */
export function settingsFor(
  servers: readonly Pick<TestServer, "host">[],
  more: Partial<RegistrySettings> = {},
): RegistrySettings {
  const insecureRegistries = Object.fromEntries(servers.map(({ host }) => [host, "http"] as const));
  return { ...registryDefaults, insecureRegistries, ...more };
}

/** A credential for a server, as a pull secret has it. */
export function entryOf({ host }: TestServer, parts: CredentialParts): CredentialEntry {
  return { pattern: host, credential: new RegistryCredential(parts) };
}

/** The header of a user. */
export function basicOf(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Asks each client for a header, except for clients that send the right one. */
export function asking(challenge: string, wanted: string): Answering {
  return ({ authorization }) =>
    authorization === wanted
      ? undefined
      : new Response("canary", { status: 401, headers: { "WWW-Authenticate": challenge } });
}

/** The error with which something fails. */
export async function failureOf(work: Promise<unknown>): Promise<ImageError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ImageError) return outcome;
  throw new Error("it did not fail as it should", { cause: outcome });
}

/** How an image is looked up in a story. */
export type LookupRequest = Partial<Omit<LookupOptions, "settings">> & {
  readonly name?: string;
  readonly settings?: Partial<RegistrySettings>;
};

/** Looks an image of a server up. */
export function lookUp(
  server: Pick<TestServer, "host">,
  { name = "app", settings, ...options }: LookupRequest,
) {
  return lookUpImage(`${server.host}/${name}`, {
    platform: linux,
    ...options,
    settings: settingsFor([server], settings),
  });
}

/** Sends requests of a path elsewhere. */
export function sentOn(what: RegExp, target: () => string): Answering {
  return ({ path }) =>
    what.test(path)
      ? new Response(null, { status: 307, headers: { Location: target() } })
      : undefined;
}
