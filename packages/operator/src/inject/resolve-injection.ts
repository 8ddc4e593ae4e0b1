import { methodsWithToken, type Problem, parseServerUrl, problem, problemsOf } from "@svc/settings";
import {
  type AnnotationKey,
  type AnnotationValues,
  annotationTable,
} from "../annotations/annotation-table.ts";
import { controlProblems } from "../annotations/control-characters.ts";
import type { AskedInjection } from "../annotations/parse-annotations.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";
import { addressProblem } from "./address-problem.ts";
import { bundleFacts } from "./bundle-source.ts";
import { configFields } from "./config-fields.ts";
import type { InjectionSettings, SourcedText } from "./injection-settings.ts";
import { plaintextProblems, unverifiedProblems } from "./insecure-vault.ts";
import type { OperatorSettings } from "./operator-settings.ts";

/** The sources of a pod's injection. */
export interface InjectionSources {
  readonly wanted: AskedInjection;
  /** The SvcConfig that the pod names, else its namespace's, else the cluster's. */
  readonly config: SvcConfig | undefined;
  readonly operator: OperatorSettings;
  /** The namespace of the pod. */
  readonly namespace: string;
}

/** The settings of one pod, or all that is wrong with them. */
export type ResolvedInjection =
  | { readonly ok: true; readonly settings: InjectionSettings }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Combines annotations, SvcConfig and operator: an annotation takes precedence over the SvcConfig,
 * and that over the default. Texts of a SvcConfig pass the same checks as annotations.
 */
export function resolveInjection(sources: InjectionSources): ResolvedInjection {
  const { wanted, config, operator, namespace } = sources;
  const configPlace = config && `${config.namespace}/${config.name}`;
  const configName = configPlace && `SvcConfig ${configPlace}`;
  const added = fromConfig(wanted, config, configName ?? "");
  const annotated = [...wanted.texts].map(
    ([key, { label, text }]) => [key, { ...said("annotation", text), label }] as const,
  );
  // Each added value was made by the parser of its row.
  const values = { ...wanted.values, ...Object.fromEntries(added.values) } as AnnotationValues;
  const texts = new Map([...added.texts, ...annotated]);
  // A program that starts only with an agent has to be given one.
  const needsAgent = values.requireAgent === true && !texts.has("ebpf");
  const settings: InjectionSettings = {
    operator: withImage(operator, values.wrapperImage),
    values: needsAgent ? { ...values, ebpf: true } : values,
    texts,
    configName,
    configPlace,
    resources: config?.spec.wrapperResources ?? operator.resources,
    hasOwnResources: config?.spec.wrapperResources !== undefined,
    allowedAddresses: allowLists(config, operator),
    namespace,
    permitsInsecureVault: isListed(operator.insecureVaultNamespaces, namespace),
  };
  const problems = [...added.problems, ...contradictions(settings)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, settings };
}

interface Added {
  readonly values: readonly (readonly [AnnotationKey, unknown])[];
  readonly texts: readonly (readonly [AnnotationKey, SourcedText])[];
  readonly problems: readonly Problem[];
}

function fromConfig(
  wanted: AskedInjection,
  config: SvcConfig | undefined,
  configName: string,
): Added {
  const values: (readonly [AnnotationKey, unknown])[] = [];
  const texts: (readonly [AnnotationKey, SourcedText])[] = [];
  const problems: Problem[] = [];
  for (const { annotation, field, text: textOf } of configFields) {
    const text = config && textOf(config.spec);
    if (text === undefined || text === "" || wanted.texts.has(annotation)) continue;
    const label = `${configName}: ${field}`;
    const controls = controlProblems(label, text);
    problems.push(...controls);
    if (controls.length > 0) continue;
    const parsed = annotationTable[annotation].parse?.(text);
    if (parsed?.ok === true) {
      values.push([annotation, parsed.value]);
      texts.push([annotation, said("SvcConfig", text)]);
    } else if (parsed?.ok === false) {
      problems.push(...problemsOf(parsed, { variable: label, label, text, secret: false }));
    }
  }
  return { values, texts, problems };
}

function said(from: SourcedText["from"], text: string): SourcedText {
  return { from, text };
}

function withImage(operator: OperatorSettings, image: string | undefined): OperatorSettings {
  const { bundle } = operator;
  if (image === undefined) return operator;
  switch (bundle.kind) {
    case "image-volume":
    case "copy":
      return { ...operator, bundle: { ...bundle, image } };
    case "csi":
      return operator;
  }
}

/**
 * An empty list of the operator's allows everything; one of a SvcConfig allows only its entries.
 */
function allowLists(config: SvcConfig | undefined, operator: OperatorSettings) {
  const lists = [
    operator.allowedAddresses.length > 0 ? operator.allowedAddresses : undefined,
    config?.spec.allowedAddresses,
  ];
  return lists.flatMap((list) => (list === undefined ? [] : [list.map(plainAddress)]));
}

function isListed(namespaces: readonly string[], namespace: string): boolean {
  return namespaces.includes("*") || namespaces.includes(namespace);
}

function plainAddress(address: string): string {
  const parsed = parseServerUrl(address);
  return parsed.ok ? parsed.value : address;
}

/** The problems of values that are right one by one. */
function contradictions(settings: InjectionSettings): readonly Problem[] {
  const { values, texts } = settings;
  const problems: Problem[] = [];
  const name = (key: AnnotationKey) => placeOf(settings, key);
  const { vaultAddress } = values;
  problems.push(...mapProblems(settings));
  if (vaultAddress !== undefined) {
    problems.push(...addressProblem(settings, name("vaultAddress"), vaultAddress));
    problems.push(...plaintextProblems(settings, name("vaultAddress"), vaultAddress));
  }
  if (values.vaultTlsSkipVerify === true) {
    problems.push(...unverifiedProblems(settings, name("vaultTlsSkipVerify"), "it is true"));
  }
  const takesToken = methodsWithToken.includes(values.vaultAuthMethod);
  if (texts.get("tokenSecret")?.from === "annotation" && !takesToken) {
    const methods = methodsWithToken.join(" or ");
    const wanted = `given with the method ${methods}`;
    const hint = `set ${name("vaultAuthMethod")} to ${methods}`;
    const found = `the method is ${values.vaultAuthMethod}`;
    problems.push(problem({ variable: name("tokenSecret"), wanted, found, hint }));
  }
  if (values.vaultCaSecret !== undefined && texts.get("vaultCaBundle")?.from === "annotation") {
    problems.push(
      problem({
        variable: name("vaultCaSecret"),
        wanted: `given without ${name("vaultCaBundle")}`,
        found: "both are there",
      }),
    );
  }
  if (
    values.wrapperImage !== undefined &&
    bundleFacts(settings.operator.bundle).image === undefined
  ) {
    problems.push(
      problem({
        variable: name("wrapperImage"),
        wanted: "left out if the agent of the node brings the wrapper (--bundle-source=csi)",
        found: "it is set",
      }),
    );
  }
  if (values.brokerCaSecret !== undefined && values.brokerTlsSecret === undefined) {
    const wanted = `given together with ${name("brokerTlsSecret")}`;
    problems.push(
      problem({ variable: name("brokerCaSecret"), wanted, found: "that is not there" }),
    );
  }
  return [...problems, ...agentProblems(settings)];
}

/** Both maps have a group for each path, and the group of one of them is not empty. */
function mapProblems(settings: InjectionSettings): readonly Problem[] {
  const { secretPaths: paths, envMap, fileMap } = settings.values;
  if (paths === undefined) return [];
  const ofPaths = placeOf(settings, "secretPaths");
  const maps = [
    ["envMap", envMap],
    ["fileMap", fileMap],
  ] as const;
  const lengths = maps.flatMap(([key, map]) => {
    if (map === undefined || map.length === paths.length) return [];
    return problem({
      variable: placeOf(settings, key),
      wanted: `a map with one group for each path of ${ofPaths}`,
      found: `groups: ${map.length}, paths: ${paths.length}`,
      hint: "semicolons part the groups, in the order of the paths",
    });
  });
  // Alone, a container's own variable may have the other map.
  if (lengths.length > 0 || envMap === undefined) return lengths;
  return paths.flatMap((_, index) => {
    if (envMap[index]?.length !== 0 || fileMap?.[index]?.length) return [];
    const found = `group ${index + 1} is empty${fileMap === undefined ? "" : " in both maps"}`;
    const wanted = "a map without empty groups, or with a file in their place";
    return problem({ variable: placeOf(settings, "envMap"), wanted, found });
  });
}

function agentProblems(settings: InjectionSettings): readonly Problem[] {
  const { requireAgent, ebpf } = settings.values;
  if (requireAgent !== true || ebpf) return [];
  const variable = placeOf(settings, "requireAgent");
  const wanted = `given with "true" for ${placeOf(settings, "ebpf")}, or without it`;
  return [problem({ variable, wanted, found: 'that is "false"' })];
}

/** The source of a value, as messages name it. */
export function placeOf(settings: InjectionSettings, key: AnnotationKey): string {
  const { operator, configName, texts } = settings;
  const given = texts.get(key);
  if (given?.from !== "SvcConfig")
    return given?.label ?? `${operator.prefix}/${annotationTable[key].name}`;
  const field = configFields.find(({ annotation }) => annotation === key)?.field ?? key;
  return `${configName}: ${field}`;
}
