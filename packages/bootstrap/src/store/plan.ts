import type { StoredFields, WrittenFields } from "@svc/vault";
import type { StepName } from "../step.ts";

/** What is to be written, and where. */
export interface PlannedWrite {
  readonly path: string;
  readonly fields: WrittenFields;
}

/** What makes a thing as it is wanted out of what is there. */
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
  /** Where the present state is read. */
  readonly readPath: string;
  /**
   * Pure; undefined stands for nothing there.
   * @throws BootstrapError where something else is in the way
   */
  readonly plan: (present: StoredFields | undefined) => Plan;
}
