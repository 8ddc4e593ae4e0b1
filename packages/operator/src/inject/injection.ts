import type { PatchOperation } from "../json-patch/patch-between.ts";
import type { VolumePart } from "./attachment.ts";
import type { ContainerRole } from "./choose-containers.ts";
import type { WrappedProgram } from "./find-program.ts";
import type { HealthEndpoint } from "./health-endpoints.ts";

/** The decision about a pod. */
export type Injection =
  | {
      readonly kind: "patch";
      readonly patch: readonly PatchOperation[];
      readonly summary: InjectionSummary;
      readonly warnings: readonly string[];
    }
  /** The pod is admitted as it is. */
  | {
      readonly kind: "skip";
      readonly reason: string;
      readonly warnings: readonly string[];
      /** If the pod asks and cannot get it: as in a refusal. */
      readonly unmet?: readonly string[];
    }
  /** The pod is refused; the message says all that is wrong and how to mend it. */
  | {
      readonly kind: "deny";
      readonly message: string;
      /**
       * The requirement, without the found text: a log must not contain values of a pod's
       * variables.
       */
      readonly unmet: readonly string[];
    };

/** The result, for logs and `svc explain`. It holds no value of a setting. */
export interface InjectionSummary {
  readonly containers: readonly ContainerSummary[];
  /** Why other containers were left alone, by name. */
  readonly left: Readonly<Record<string, string>>;
  /** The names of the volumes that were added. */
  readonly volumes: Readonly<Partial<Record<VolumePart, string>>>;
}

/** One container that got a wrapper. */
export interface ContainerSummary {
  readonly name: string;
  readonly role: ContainerRole;
  /** The source of the program's words. */
  readonly program: WrappedProgram["source"];
  readonly health: HealthEndpoint;
  /** Variables that stay as the pod has them. */
  readonly own: readonly string[];
}
