import type { StoredFields, WrittenFields } from "@svc/vault";
import type { StepName } from "../step.ts";

/** The data to write, and its path. */
export interface PlannedWrite {
  readonly path: string;
  readonly fields: WrittenFields;
}

/** Makes an object as wanted from the present one. */
export type Plan =
  | { readonly outcome: "unchanged" }
  | { readonly outcome: "created"; readonly write: PlannedWrite }
  | {
      readonly outcome: "updated";
      readonly differs: readonly string[];
      readonly write: PlannedWrite;
    };

/** A thing in the store that is to be as wanted. */
export interface Wanted {
  readonly step: StepName;
  /** The source of the present state. */
  readonly readPath: string;
  /**
   * Pure; undefined stands for nothing there.
   * @throws BootstrapError if something else is in the way
   */
  readonly plan: (present: StoredFields | undefined) => Plan;
}
