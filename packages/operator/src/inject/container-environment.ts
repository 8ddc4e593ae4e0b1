import { type Problem, parseGoBoolean, parseServerUrl, problem } from "@svc/settings";
import { annotationTable } from "../annotations/annotation-table.ts";
import { controlProblems } from "../annotations/control-characters.ts";
import { escapedForExpansion } from "../pod/expansion.ts";
import type { Container, EnvEntry } from "../pod/pod.ts";
import { addressProblem } from "./address-problem.ts";
import { containerAuth } from "./container-auth.ts";
import { takesFilesAlone } from "./files-alone.ts";
import { injectedVariables } from "./injected-variables.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { plaintextProblems, unverifiedProblems } from "./insecure-vault.ts";
import { ownText, setsVariable } from "./own-variables.ts";
import { clashingStopSignal } from "./stop-signal.ts";

/**
 * The variables that annotations and SvcConfig give a container, except for those that it sets
 * itself.
 */
export function settingVariables(
  container: Container,
  settings: InjectionSettings,
): readonly EnvEntry[] {
  const { texts, values, permitsInsecureVault } = settings;
  // Its own variable takes precedence over envFrom, which is not seen here.
  const isUnseen = !permitsInsecureVault && (container.envFrom ?? []).length > 0;
  const variables = takesFilesAlone(container, settings) ? withoutVault : injectedVariables;
  return variables.flatMap(({ name, annotation, always, alias = name }) => {
    if (setsVariable(container, name, alias)) return [];
    const isPinned = isUnseen && annotation === "vaultTlsSkipVerify";
    const otherwise = isPinned ? "false" : always && String(values[annotation]);
    const text = texts.get(annotation)?.text ?? otherwise;
    return text === undefined ? [] : [{ name, value: escapedForExpansion(text) }];
  });
}

/** The wrapper would warn of each of the others, which have no effect. */
const withoutVault = injectedVariables.filter(({ name }) => !name.startsWith("VAULT_"));

/** The container's own values for injected variables: explicit choices, which stay. */
export function ownChoices(container: Container, { texts }: InjectionSettings): readonly string[] {
  return injectedVariables
    .filter(({ annotation, always }) => always === true || texts.has(annotation))
    .flatMap(({ name, alias = name }) => (setsVariable(container, name, alias) ? [name] : []));
}

/** The missing and the forbidden settings of this container's wrapper. */
export function environmentProblems(
  container: Container,
  settings: InjectionSettings,
): readonly Problem[] {
  const { needs } = containerAuth(container, settings);
  const ofVault = takesFilesAlone(container, settings) ? [] : ["VAULT_ADDR"];
  const hasFiles = settings.texts.has("fileMap") || setsVariable(container, "SVC_FILE_MAP");
  const maps = hasFiles ? [] : ["SVC_ENV_MAP"];
  const needed = [...ofVault, "SVC_SECRET_PATHS", ...maps, ...needs];
  return [
    ...injectedVariables
      .filter(({ name, annotation, alias = name }) => {
        const isGiven = settings.texts.has(annotation) || setsVariable(container, name, alias);
        return needed.includes(name) && !isGiven;
      })
      .map(({ annotation }, index) => missing(settings, annotationTable[annotation].name, index)),
    ...clashingStopSignal(container, settings),
    ...ownAddressProblems(container, settings),
    ...ownVerificationProblems(container, settings),
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
  // Once is enough if several are missing, as they are if there is no SvcConfig.
  const hint = "annotate it, or have a SvcConfig called default in the pod's namespace";
  return problem({ ...parts, found, ...(index === 0 && { hint }) });
}

/**
 * An address in the pod's own variables passes the lists like any other: the token goes there all
 * the same.
 */
function ownAddressProblems(container: Container, settings: InjectionSettings): readonly Problem[] {
  if (!setsVariable(container, "VAULT_ADDR")) return [];
  const place = `container ${container.name}: VAULT_ADDR`;
  const text = ownText(container, "VAULT_ADDR");
  const isBound = settings.allowedAddresses.length > 0 || !settings.permitsInsecureVault;
  if (text === undefined) {
    const wanted = isLimited(settings) ? WRITTEN : "written down, so that it is seen to be https";
    const found = "it is taken from elsewhere";
    return isBound ? [problem({ variable: place, wanted, found })] : [];
  }
  const controls = controlProblems(place, text);
  const parsed = parseServerUrl(text);
  if (controls.length > 0) return controls;
  if (!parsed.ok) {
    const wanted = isLimited(settings) ? WRITTEN : "an http:// or https:// URL with a port";
    return [problem({ variable: place, wanted, found: "it is not one" })];
  }
  return [
    ...addressProblem(settings, place, parsed.value),
    ...plaintextProblems(settings, place, parsed.value),
  ];
}

const WRITTEN = "written down as one of the allowed addresses";

function isLimited({ allowedAddresses }: InjectionSettings): boolean {
  return allowedAddresses.length > 0;
}

/** The pod's own word needs the operator's permission like an annotation. */
function ownVerificationProblems(
  container: Container,
  settings: InjectionSettings,
): readonly Problem[] {
  if (!setsVariable(container, "VAULT_SKIP_VERIFY")) return [];
  const text = ownText(container, "VAULT_SKIP_VERIFY");
  const parsed = parseGoBoolean(text ?? "");
  if (text === "" || (parsed.ok && !parsed.value)) return [];
  const found = text === undefined ? "it is taken from elsewhere" : "it is set";
  return unverifiedProblems(settings, `container ${container.name}: VAULT_SKIP_VERIFY`, found);
}
