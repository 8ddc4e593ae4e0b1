import type { LoginMethod } from "@svc/settings";

/** How the wrapper proves who it is. */
export type VaultAuth = {
  [Method in LoginMethod]: { readonly method: Method } & LoginSettings[Method];
}[LoginMethod];

/** The settings of each login method. */
interface LoginSettings {
  readonly kubernetes: RoleSettings;
  readonly jwt: RoleSettings;
  readonly approle: {
    /** Not the role's name. */
    readonly roleId: string;
    readonly mountPath: string;
    /** Absent for a role without secret ids. Read at each login. */
    readonly secretIdPath?: string;
  };
  /** By the certificate of VAULT_CLIENT_CERT. Without a role the vault looks for one that fits. */
  readonly cert: { readonly mountPath: string; readonly role?: string };
  readonly userpass: {
    readonly username: string;
    readonly mountPath: string;
    /** Read at each login. */
    readonly passwordPath: string;
  };
  readonly token: { readonly source: TokenSource };
}

/** The settings of a login with a JWT and a role. */
export interface RoleSettings {
  readonly role: string;
  /** Without `auth/` and slashes around it. */
  readonly mountPath: string;
  readonly jwt: JwtSource;
}

/** The place of the JWT, for example of the service account's token. */
export type JwtSource =
  /** Read at each login. */
  | { readonly kind: "file"; readonly path: string }
  /** The agent's socket: it gives the token to the wrapper alone. */
  | { readonly kind: "agent"; readonly path: string };

/** Where the static token is. The token itself is in no settings. */
export type TokenSource =
  | { readonly kind: "environment" }
  | { readonly kind: "file"; readonly path: string }
  /** Nowhere yet: it is delivered by POST /v1/unseal. */
  | { readonly kind: "unseal" };

/** Facts about a login that several parts of the wrapper need. */
export interface LoginFacts {
  /** The file of a JWT, such as a service account's token, that couriers read. */
  readonly jwtPath?: string;
  /** The agent's socket that a courier's connection leads to. */
  readonly agentSocket?: string;
  /** The file of a token of the vault. */
  readonly tokenPath?: string;
  /** When a client may bring a token by POST /v1/unseal. */
  readonly unsealable: "always" | "after a run" | "never";
}

/**
 * Pure: every decision on the login method outside of the settings and of the login itself.
 *
 * @param auth undefined without a vault.
 */
export function loginFacts(auth: VaultAuth | undefined): LoginFacts {
  if (auth === undefined) return { unsealable: "never" };
  switch (auth.method) {
    case "kubernetes":
    case "jwt":
      return jwtFacts(auth.jwt);
    case "approle":
    case "cert":
    case "userpass":
      return { unsealable: "never" };
    case "token":
      return tokenFacts(auth.source);
  }
}

function jwtFacts({ kind, path }: JwtSource): LoginFacts {
  switch (kind) {
    case "file":
      return { jwtPath: path, unsealable: "never" };
    case "agent":
      return { agentSocket: path, unsealable: "never" };
  }
}

function tokenFacts(source: TokenSource): LoginFacts {
  switch (source.kind) {
    case "environment":
      return { unsealable: "after a run" };
    case "file":
      return { tokenPath: source.path, unsealable: "never" };
    case "unseal":
      return { unsealable: "always" };
  }
}
