import { type EnvMap, parseSparseEnvMap } from "@svc/settings";
import { referencesIn } from "../pod/expansion.ts";
import type { Container } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** More names of one container are not spoken of. */
const MOST_NAMES = 5;
/** More are not looked at: a pod may have megabytes of them. */
const MOST_REFERENCES = 1000;

/**
 * Warnings about variables that the wrapper delivers: of references to them, which Kubernetes
 * expands before the value is fetched, and of variables of the same name.
 */
export function deliveredNameWarnings(
  container: Container,
  settings: InjectionSettings,
): readonly string[] {
  const map = mapOf(container, settings);
  if (map === undefined) return [];
  return [
    ...unexpanded(container, map),
    ...namedTwice(container, map, settings).slice(0, MOST_NAMES),
  ];
}

/** The container's own map takes precedence. Undefined if it comes from elsewhere. */
function mapOf(container: Container, { values }: InjectionSettings): EnvMap | undefined {
  if (!setsVariable(container, "SVC_ENV_MAP")) return values.envMap;
  const parsed = parseSparseEnvMap(ownText(container, "SVC_ENV_MAP") ?? "");
  return parsed.ok ? parsed.value : undefined;
}

function unexpanded(container: Container, map: EnvMap): readonly string[] {
  const { command, args, env } = container;
  const texts = [
    ...[...(command ?? []), ...(args ?? [])].map((text) => ["its command", text] as const),
    ...(env ?? []).map(({ name, value }) => [`its env ${name}`, value ?? ""] as const),
  ];
  const places = new Map<string, Set<string>>();
  for (const [place, text] of texts) {
    for (const name of referencesIn(text)) {
      if (places.size >= MOST_REFERENCES && !places.has(name)) continue;
      places.set(name, (places.get(name) ?? new Set()).add(place));
    }
  }
  const delivered = [...places].filter(([name]) => isDelivered(name, container, map));
  return delivered.slice(0, MOST_NAMES).map(([name, found]) => {
    const where = `container ${container.name}: $(${name}) in ${[...found].join(" and ")}`;
    return setsVariable(container, name)
      ? `${where} becomes the value of its env, not the vault's: Kubernetes expands it before the wrapper starts`
      : `${where} stays as it is, because Kubernetes expands it before the value is fetched: have the program read ${name}, or start it by a shell: sh -c 'exec app "$${name}"'`;
  });
}

/**
 * Whether the wrapper delivers a variable of this name. With `*=*` it may deliver any: then only a
 * name counts that nothing else in the pod gives.
 */
function isDelivered(name: string, container: Container, map: EnvMap): boolean {
  const mappings = map.flat();
  if (mappings.some((one) => one.kind === "field" && one.variable === name)) return true;
  const mayComeFromElsewhere =
    setsVariable(container, name) || (container.envFrom ?? []).length > 0 || ofService.test(name);
  if (mayComeFromElsewhere || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return false;
  return mappings.some((one) => one.kind === "every" && name.startsWith(one.prefix));
}

/** As the kubelet names them for each Service (pkg/kubelet/envvars). */
const ofService = /_SERVICE_(?:HOST|PORT)|_PORT(?:_|$)/;

function namedTwice(
  container: Container,
  map: EnvMap,
  { values }: InjectionSettings,
): readonly string[] {
  const names = map.flat().flatMap((one) => (one.kind === "field" ? [one.variable] : []));
  const outcome =
    values.delivery === "library"
      ? "the library gives the vault's value, and the environment keeps this one"
      : "the vault's value takes precedence";
  return names
    .filter((name) => setsVariable(container, name))
    .map((name) => `container ${container.name}: its env has ${name}, too: ${outcome}`);
}
