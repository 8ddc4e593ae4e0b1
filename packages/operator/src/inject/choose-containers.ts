import { closest, type Problem, problem, quoted } from "@svc/settings";
import type { Container, Pod } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";

/** What a container is in its pod; a sidecar is an init container that goes on running. */
export type ContainerRole = "app" | "sidecar" | "init";

/** A container that gets the wrapper. */
export interface Target {
  readonly list: "containers" | "initContainers";
  readonly index: number;
  readonly role: ContainerRole;
  readonly container: Container;
}

/** Which containers are injected into, why others are not, and what is wrong with the choice. */
export interface ChosenContainers {
  readonly targets: readonly Target[];
  /** By name, with the reason. */
  readonly left: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** Chooses by `containers`, `skip-containers` and `inject-init-containers`; `done` have their wrapper already. */
export function chooseContainers(
  pod: Pod,
  settings: InjectionSettings,
  done: readonly string[],
): ChosenContainers {
  const everyone = everyContainer(pod);
  const left = new Map<string, string>();
  const targets = everyone.filter(({ container, role }) => {
    const reason = done.includes(container.name)
      ? "is injected already"
      : reasonToLeave(container.name, role, settings);
    if (reason !== undefined) left.set(container.name, reason);
    return reason === undefined;
  });
  const names = everyone.map(({ container }) => container.name);
  return { targets, left, problems: unknownNames(settings, names) };
}

/** Every container of a pod in the order in which they start. */
export function everyContainer({ spec }: Pod): readonly Target[] {
  const init = (spec.initContainers ?? []).map((container, index): Target => {
    const role = container.restartPolicy === "Always" ? "sidecar" : "init";
    return { list: "initContainers", index, role, container };
  });
  const apps = spec.containers.map((container, index): Target => {
    return { list: "containers", index, role: "app", container };
  });
  return [...init, ...apps];
}

function reasonToLeave(
  name: string,
  role: ContainerRole,
  { values, operator }: InjectionSettings,
): string | undefined {
  const { containers, skipContainers = [], injectInitContainers } = values;
  if (skipContainers.includes(name)) return "skip-containers names it";
  if (containers !== undefined)
    return containers.includes(name) ? undefined : "containers does not name it";
  if (operator.wellKnownSidecars.includes(name))
    return "it is a well-known sidecar: containers may name it";
  return role === "init" && !injectInitContainers
    ? "it is an init container, and inject-init-containers is not true"
    : undefined;
}

function unknownNames(
  { values, operator }: InjectionSettings,
  names: readonly string[],
): readonly Problem[] {
  return (values.containers ?? [])
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = closest(name, names);
      return problem({
        variable: `${operator.prefix}/containers`,
        wanted: `names of the pod's containers, ${names.join(", ")}`,
        found: `got ${quoted(name)}`,
        hint: near && `did you mean ${near}?`,
      });
    });
}
