import { type KvPath, parseKvPath, parseList } from "@svc/settings";
import type { Container } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

const names = ["SVC_SECRET_PATHS", "SECRET_PATHS"] as const;

/** True if every secret of a container is a file (`file:/path`), so that it needs no vault. */
export function takesFilesAlone(
  container: Container,
  { values }: Pick<InjectionSettings, "values">,
): boolean {
  const paths = setsVariable(container, ...names) ? ownPaths(container) : values.secretPaths;
  return paths?.every(({ engine }) => engine === "file") ?? false;
}

/** Undefined if they cannot be seen here, or are wrong. */
function ownPaths(container: Container): readonly KvPath[] | undefined {
  const text = names.map((name) => ownText(container, name)).find((one) => one !== undefined);
  const parsed = text === undefined ? undefined : parseList(parseKvPath)(text);
  return parsed?.ok === true ? parsed.value : undefined;
}
