import type { ContainerSummary, Injection } from "@svc/operator";
import type { JudgedManifest } from "./judge-manifests.ts";

/** What `svc inject --dry-run -o json` prints for an object, one a line. */
export interface InjectionReport {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The place of the pod template in the object: `spec.template`; empty for a pod. */
  readonly place: string;
  readonly decision: "inject" | "leave" | "refuse";
  readonly reason: string;
  readonly warnings: readonly string[];
  readonly containers: readonly ContainerSummary[];
  /** Why other containers of an injected pod are left alone, by name. */
  readonly left: Readonly<Record<string, string>>;
  readonly patch: readonly object[];
}

/** The report about an object. */
export function reportOf({ template, namespace, injection }: JudgedManifest): InjectionReport {
  const { kind, name, place } = template;
  return { kind, namespace, name, place, ...decisionOf(injection) };
}

type Decision = Omit<InjectionReport, "kind" | "namespace" | "name" | "place">;

function decisionOf(injection: Injection): Decision {
  const nothing = { warnings: [], containers: [], left: {}, patch: [] };
  switch (injection.kind) {
    case "patch": {
      const { patch, warnings, summary } = injection;
      const { containers, left } = summary;
      const reason = "it asks for it";
      return { decision: "inject", reason, warnings, containers, left, patch };
    }
    case "skip": {
      const { reason, warnings } = injection;
      return { ...nothing, decision: "leave", reason, warnings };
    }
    case "deny":
      return { ...nothing, decision: "refuse", reason: injection.message };
  }
}

const verdicts = {
  inject: "is injected into",
  leave: "is left alone",
  refuse: "is refused",
} as const;

/** The places that need not be named: kinds have one template there. */
const usualPlaces = ["", "template", "spec.template", "spec.jobTemplate.spec.template"];

/** `Deployment shop/web`; with the place of the template if it is an unusual one. */
export function aboutText({
  kind,
  namespace,
  name,
  place,
}: Pick<InjectionReport, "kind" | "namespace" | "name" | "place">): string {
  const where = usualPlaces.includes(place) ? "" : ` (${place})`;
  return `${kind} ${namespace}/${name || "(unnamed)"}${where}`;
}

/** The same for people; the patch as YAML. */
export function reportText(report: InjectionReport): string {
  const { decision, reason, warnings, containers, left, patch } = report;
  const lines = [
    `${aboutText(report)} ${verdicts[decision]}: ${reason}`,
    ...containers.map(containerLine),
    ...Object.entries(left).map(([container, why]) => `  ${container}: left alone: ${why}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ];
  if (patch.length === 0) return lines.join("\n");
  // As it is sent; objects that are the same in memory would become anchors.
  const plain: unknown = JSON.parse(JSON.stringify(patch));
  const yaml = Bun.YAML.stringify(plain, null, 2).split("\n");
  return [...lines, "  patch:", ...yaml.map((line) => `    ${line}`)].join("\n");
}

function containerLine({ name, role, program, health, own }: ContainerSummary): string {
  const kept = own.length === 0 ? "" : `; stay as they are: ${own.join(", ")}`;
  const from = `its command is known from its ${program}`;
  return `  ${name} (${role}): wrapped; ${from}; ${healthText(health)}${kept}`;
}

function healthText(health: ContainerSummary["health"]): string {
  switch (health.kind) {
    case "port":
      return `its health is at port ${health.port}`;
    case "loopback":
      return "its health is on the loopback only";
    case "own":
      return "its health is at the address of its own HEALTH_ADDR";
  }
}
