import { mustBeFirstProcess, type Problem, problem } from "@svc/settings";
import { type AnnotationKey, annotationTable } from "../annotations/annotation-table.ts";
import type { Container, Pod } from "../pod/pod.ts";
import type { ImageAnswer } from "./find-program.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** Annotations that need a wrapper beside the program, and the value that does not. */
const needSupervisor: readonly (readonly [AnnotationKey, isFree: (value: unknown) => boolean])[] = [
  ["rotation", (value) => value === "none"],
  ["restart", (value) => value === "never"],
  ["delivery", (value) => value !== "inject"],
  ["follow", (value) => value === "auto" || value === "off"],
  ["ebpf", (value) => value === false],
  ["requireAgent", (value) => value === false],
];

/** True if the container's wrapper becomes the program: SVC_SUPERVISE. */
export function isHandedOver(container: Container, { values }: InjectionSettings): boolean {
  return setsVariable(container, "SVC_SUPERVISE")
    ? ownText(container, "SVC_SUPERVISE") === "never"
    : values.supervise === "never";
}

/** The settings of a container: a wrapper that becomes the program makes no rotations. */
export function settingsOfHandOver(
  container: Container,
  settings: InjectionSettings,
): InjectionSettings {
  if (settings.texts.has("rotation") || !isHandedOver(container, settings)) return settings;
  return { ...settings, values: { ...settings.values, rotation: "none" } };
}

/** Why a container's wrapper cannot become its program. */
export function handOverProblems(
  container: Container,
  { spec }: Pod,
  settings: InjectionSettings,
): readonly Problem[] {
  if (!isHandedOver(container, settings)) return [];
  const { operator, texts, values } = settings;
  const name = `${operator.prefix}/${annotationTable.supervise.name}`;
  const isShared = spec.shareProcessNamespace === true || spec.hostPID === true;
  const shared = problem({
    variable: name,
    wanted: "left out if the pod's containers share their processes",
    found: "no program of the container can be process 1",
  });
  const others = needSupervisor
    .filter(([key, isFree]) => texts.has(key) && !isFree(values[key]))
    .map(([key]) =>
      problem({
        variable: `${operator.prefix}/${annotationTable[key].name}`,
        wanted: `left out if ${name} is never`,
        found: "it needs the wrapper beside the program",
      }),
    );
  return [...(isShared ? [shared] : []), ...others];
}

/** Names the way for a program that ends at once behind a wrapper. */
export function initWarnings(
  container: Container,
  image: ImageAnswer | undefined,
  settings: InjectionSettings,
): readonly string[] {
  const words = [container.command, ...ofImage(image)].find((list) => (list ?? []).length > 0);
  const program = words?.[0] ?? "";
  if (!mustBeFirstProcess(program) || isHandedOver(container, settings)) return [];
  const how = `annotate ${settings.operator.prefix}/${annotationTable.supervise.name}: never`;
  return [`container ${container.name}: ${program} may run only as process 1: ${how}`];
}

function ofImage(image: ImageAnswer | undefined): readonly (readonly string[])[] {
  return image?.kind === "found" ? [image.config.entrypoint, image.config.command] : [];
}
