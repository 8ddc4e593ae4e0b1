import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { ImageError } from "../../image/image-error.ts";
import { type CredentialParts, revealCredential } from "../../image/registry-credential.ts";
import type { LoginSource } from "../login-provider.ts";
import { parseLoginPattern } from "../providers/login-rules.ts";
import { readProviders } from "../providers/read-providers.ts";
import { RegistryLogins, type RegistryLoginsOptions } from "../providers/registry-logins.ts";

/** The service account that clouds trust in stories. */
export const subject = "system:serviceaccount:svc-system:svc-operator";

/** A folder for files of tokens. */
export interface LoginFiles extends Disposable {
  /** Writes a file and gives its path. */
  readonly write: (name: string, text: string) => string;
  readonly path: string;
}

/** Makes the folder. */
export function loginFiles(): LoginFiles {
  const folder: TemporaryFolder = temporaryFolder();
  return {
    path: folder.path,
    write: (name, text) => {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      return path;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** How logins of a story are made. */
export interface LoginRequest {
  readonly source: LoginSource;
  readonly environment: Readonly<Record<string, string>>;
  /** A registry that is logged in to; by default ECR's. */
  readonly registry?: string;
  readonly dockerConfig?: string;
  readonly helperFolder?: string;
  readonly limits?: RegistryLoginsOptions["limits"];
}

export const ECR = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";

/** Logins for the namespace `shop` at one registry. */
export function loginsOf({ registry = ECR, ...wanted }: LoginRequest): RegistryLogins {
  const pattern = parseLoginPattern(registry);
  if (pattern === undefined) throw new TypeError(`${registry} is not a pattern`);
  const { providers, problems } = readProviders({
    sources: [wanted.source],
    environment: new Map(Object.entries(wanted.environment)),
    settings: { insecureRegistries: { [registry]: "http" }, defaultRegistry: undefined },
    dockerConfig: wanted.dockerConfig,
    helperFolder: wanted.helperFolder,
  });
  if (problems.length > 0) throw new TypeError(problems.map(({ message }) => message).join("\n"));
  return new RegistryLogins({
    rules: [{ pattern, source: wanted.source, namespaces: ["shop"] }],
    providers,
    authorities: {},
    ...(wanted.limits && { limits: wanted.limits }),
  });
}

/** The credentials that a login gives for the registry, in plain text. */
export async function logIn(
  logins: RegistryLogins,
  registry = ECR,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly CredentialParts[]> {
  const [login] =
    logins.forNamespace("shop")?.loginsFor({ registry, repository: "team/app" }) ?? [];
  if (login === undefined) throw new TypeError(`there is no login for ${registry}`);
  return (await login.credentials(signal)).map(revealCredential);
}

/** The error with which a login fails. */
export async function failureOf(work: Promise<unknown>): Promise<ImageError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ImageError) return outcome;
  throw new Error("it did not fail as it should", { cause: outcome });
}
