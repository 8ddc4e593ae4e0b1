import { closest, type Problem, problem, quoted } from "@svc/settings";
import type { Container, Pod } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { servantOf } from "./launchers.ts";

/** The kind of a container; a sidecar is an init container that keeps running. */
export type ContainerRole = "app" | "sidecar" | "init";

/** A container that gets the wrapper. */
export interface Target {
  readonly list: "containers" | "initContainers";
  readonly index: number;
  readonly role: ContainerRole;
  readonly container: Container;
}

/** The injected containers, the reasons for others, and the problems of the choice. */
export interface ChosenContainers {
  readonly targets: readonly Target[];
  /** By name, with the reason. */
  readonly left: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/**
 * Chooses by `containers`, `skip-containers` and `inject-init-containers`; `done` have their
 * wrapper already.
 */
export function chooseContainers(
  pod: Pod,
  settings: InjectionSettings,
  done: readonly string[],
): ChosenContainers {
  const containers = everyContainer(pod);
  const left = new Map<string, string>();
  const settled = new Set(done);
  const reasonToLeave = reasonsToLeave(pod, settings);
  const targets = containers.filter(({ container, role }) => {
    const reason = settled.has(container.name)
      ? "is injected already"
      : reasonToLeave(container, role);
    if (reason !== undefined) left.set(container.name, reason);
    return reason === undefined;
  });
  const names = containers.map(({ container }) => container.name);
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

function reasonsToLeave(pod: Pod, { values, operator }: InjectionSettings) {
  const { containers, skipContainers, injectInitContainers } = values;
  const skipped = new Set(skipContainers);
  const chosen = containers && new Set(containers);
  const sidecars = new Set(operator.wellKnownSidecars);
  return (container: Container, role: ContainerRole): string | undefined => {
    const { name } = container;
    if (skipped.has(name)) return "skip-containers names it";
    if (chosen !== undefined) return chosen.has(name) ? undefined : "containers does not name it";
    if (sidecars.has(name)) return "it is a well-known sidecar: containers may name it";
    const system = servantOf(container, pod);
    if (system !== undefined) return `it serves ${system}: containers may name it`;
    return role === "init" && !injectInitContainers
      ? "it is an init container, and inject-init-containers is not true"
      : undefined;
  };
}

/** Each is compared with every name there is: a pod may have thousands of both. */
const MOST_UNKNOWN = 20;

function unknownNames(
  { values, operator }: InjectionSettings,
  names: readonly string[],
): readonly Problem[] {
  const known = new Set(names);
  return (values.containers ?? [])
    .filter((name) => !known.has(name))
    .slice(0, MOST_UNKNOWN)
    .map((name) => {
      const near = closest(name, names);
      return problem({
        variable: `${operator.prefix}/containers`,
        wanted: `names of the pod's containers, ${names.slice(0, MOST_UNKNOWN).join(", ")}`,
        found: `got ${quoted(name)}`,
        hint: near && `did you mean ${near}?`,
      });
    });
}
