import { type KvPath, kvPathText } from "@svc/settings";

/** The name under which the health port and the kernel agent show a secret. */
export type SecretNames = (secret: Pick<KvPath, "path" | "version">) => string;

interface NamedSecrets {
  readonly secrets: { readonly sources: readonly KvPath[] };
  /** SVC_SHOW_PATHS. */
  readonly showPaths: boolean;
}

/** Few paths are as long. With MAX_SECRETS_SHOWN names a message to the agent has less than 16 KiB. */
const LONGEST_NAME = 128;

/**
 * Paths as in SVC_SECRET_PATHS, a pinned version behind them. With SVC_SHOW_PATHS=false, and for a
 * path that is too long, the name is the place in the list of secrets, from 1.
 */
export function secretNames({ secrets: { sources }, showPaths }: NamedSecrets): SecretNames {
  return (secret) => {
    const { path, version } = secret;
    const name = kvPathText(secret);
    if (showPaths && name.length <= LONGEST_NAME) return name;
    return String(sources.findIndex((one) => one.path === path && one.version === version) + 1);
  };
}
