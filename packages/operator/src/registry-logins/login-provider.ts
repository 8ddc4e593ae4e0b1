import type { ImagePlace } from "../image/place-pattern.ts";
import type { RegistryCredential } from "../image/registry-credential.ts";
import type { LoginWay } from "./login-way.ts";

/** Ways to log in to registries, as `--registry-logins` names them. */
export const loginSources = ["aws", "google", "azure", "docker-config"] as const;

/** One of them. */
export type LoginSource = (typeof loginSources)[number];

/** Credentials and how long they are good, in milliseconds. */
export interface IssuedLogin {
  readonly credentials: readonly RegistryCredential[];
  readonly lifeMs: number;
}

/** Gets credentials for registries. */
export interface LoginProvider {
  readonly source: LoginSource;
  /** The permissions that its identity needs if a registry refuses it, for people. */
  readonly hint: string;
  /** Equal for places that share a credential. */
  readonly keyOf: (place: ImagePlace) => string;
  /** @throws ImageError `LOGIN_REFUSED`, `LOGIN_UNAVAILABLE` */
  readonly logIn: (place: ImagePlace, way: LoginWay) => Promise<IssuedLogin>;
}
