import type { Readiness, StatusAnswer } from "./readiness.ts";
import type { WrapperCounts } from "./wrapper-facts.ts";

/** The state of a wrapper's checks, as GET /v1/check says it. docs/reference/health.md explains it. */
export type CheckState =
  /** The program has the values that the last check found, and no check or rotation is due now. */
  | { readonly state: "current" }
  | {
      readonly state: "checking" | "rotating" | "failing" | "waiting";
      readonly reason: string;
      /** The code of the failure that the reason names. */
      readonly code?: string;
    }
  /** SVC_ROTATION=none: nothing is ever checked. */
  | { readonly state: "unchecked"; readonly reason: string };

/** The state, with all that GET /readyz shows, and the delivery. */
export type ShownCheck = CheckState &
  Pick<Readiness, "secrets" | "agent"> &
  Pick<WrapperCounts, "delivery"> & { readonly readiness: StatusAnswer };

/** The answer to a request for a check: undefined if it comes, else when another may ask. */
export type CheckRefusal = { readonly retryAfterMs: number } | undefined;
