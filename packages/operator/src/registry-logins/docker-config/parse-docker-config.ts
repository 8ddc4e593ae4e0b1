import { type CredentialEntry, parseAuths } from "../../image/docker-auths.ts";
import { isFields, textIn } from "../../image/json-fields.ts";
import { fieldsOf } from "../read-answer.ts";

/** A configuration of docker's, as `docker login` and administrators write it. */
export interface DockerConfig {
  readonly entries: readonly CredentialEntry[];
  /** Helpers by registry, as the file names it. */
  readonly helpers: ReadonlyMap<string, string>;
  /** The helper for all other registries. */
  readonly store: string | undefined;
  /**
   * The problems of entries that were left out. They contain no word of the file except for a
   * helper's name.
   */
  readonly problems: readonly string[];
}

const hint = "write the file as docker login does: auths, credHelpers, credsStore";

/**
 * Parses docker's `config.json` (docker/cli, cli/config/configfile).
 *
 * @throws ImageError `LOGIN_REFUSED` if it is not a JSON object; single entries are left out and
 *   named
 */
export function parseDockerConfig(text: string, operation: string): DockerConfig {
  const fields = fieldsOf(text, operation, hint);
  const auths = isFields(fields["auths"]) ? fields["auths"] : {};
  // With helpers, docker leaves an empty entry for each registry that it has logged in to.
  const filled = Object.entries(auths).filter(
    ([, value]) => !(isFields(value) && Object.keys(value).length === 0),
  );
  const { entries, problems } = parseAuths(Object.fromEntries(filled));
  const named = isFields(fields["credHelpers"]) ? fields["credHelpers"] : {};
  const helpers = Object.entries(named).filter(isHelperEntry);
  const store = textIn(fields, "credsStore");
  return {
    entries,
    helpers: new Map(helpers),
    store: store !== undefined && isHelperName(store) ? store : undefined,
    problems: [
      ...problems,
      ...Object.keys(named)
        .filter((registry) => !helpers.some(([each]) => each === registry))
        .map(() => "an entry of credHelpers is not a name of a helper"),
      ...(store !== undefined && !isHelperName(store)
        ? ["credsStore is not a name of a helper"]
        : []),
    ],
  };
}

function isHelperEntry(entry: [string, unknown]): entry is [string, string] {
  return isHelperName(entry[1]);
}

/** The text after `docker-credential-`: it becomes a part of a path. */
function isHelperName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name);
}
