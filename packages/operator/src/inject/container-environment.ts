import { type Problem, parseServerUrl, problem } from "@svc/settings";
import { annotationTable } from "../annotations/annotation-table.ts";
import { escapedForExpansion } from "../pod/expansion.ts";
import type { Container, EnvEntry } from "../pod/pod.ts";
import { addressProblem } from "./address-problem.ts";
import { containerAuth } from "./container-auth.ts";
import { injectedVariables } from "./injected-variables.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** The variables that annotations and SvcConfig give a container, but for those that it sets itself. */
export function settingVariables(
  container: Container,
  { texts, values }: InjectionSettings,
): readonly EnvEntry[] {
  return injectedVariables.flatMap(({ name, annotation, always, alias = name }) => {
    if (setsVariable(container, name, alias)) return [];
    const text = texts.get(annotation)?.text ?? (always && String(values[annotation]));
    return text === undefined ? [] : [{ name, value: escapedForExpansion(text) }];
  });
}

/** What the container sets itself out of what would have been set: explicit choices, which stay. */
export function ownChoices(container: Container, { texts }: InjectionSettings): readonly string[] {
  return injectedVariables
    .filter(({ annotation, always }) => always === true || texts.has(annotation))
    .flatMap(({ name, alias = name }) => (setsVariable(container, name, alias) ? [name] : []));
}

/** What the wrapper of this container would lack, or may not have. */
export function environmentProblems(
  container: Container,
  settings: InjectionSettings,
): readonly Problem[] {
  const needed = ["VAULT_ADDR", "SVC_SECRET_PATHS", "SVC_ENV_MAP"];
  if (containerAuth(container, settings) === "kubernetes") needed.push("VAULT_AUTH_ROLE");
  return [
    ...injectedVariables
      .filter(({ name, annotation, alias = name }) => {
        const isGiven = settings.texts.has(annotation) || setsVariable(container, name, alias);
        return needed.includes(name) && !isGiven;
      })
      .map(({ annotation }, index) => missing(settings, annotationTable[annotation].name, index)),
    ...ownAddressProblems(container, settings),
  ];
}

function missing(
  { operator, configName }: InjectionSettings,
  name: string,
  index: number,
): Problem {
  const parts = { variable: `${operator.prefix}/${name}`, wanted: "set" };
  if (configName !== undefined) {
    return problem({ ...parts, found: `neither it nor ${configName} says anything` });
  }
  const found = "it is not, and there is no SvcConfig for the pod";
  // Once is enough where several are missing, as they are where there is no SvcConfig.
  const hint = "annotate it, or have a SvcConfig called default in the pod's namespace";
  return problem({ ...parts, found, ...(index === 0 && { hint }) });
}

/** An address in the pod's own variables passes the lists like any other: the token goes there all the same. */
function ownAddressProblems(container: Container, settings: InjectionSettings): readonly Problem[] {
  if (settings.allowedAddresses.length === 0 || !setsVariable(container, "VAULT_ADDR")) return [];
  const place = `container ${container.name}: VAULT_ADDR`;
  const text = ownText(container, "VAULT_ADDR");
  const parsed = text === undefined ? undefined : parseServerUrl(text);
  if (parsed?.ok === true) return addressProblem(settings, place, parsed.value);
  const found = text === undefined ? "it is taken from elsewhere" : "it is none";
  return [
    problem({ variable: place, wanted: "written down as one of the allowed addresses", found }),
  ];
}
