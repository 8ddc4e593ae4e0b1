import { type HttpAnswer, jsonAnswer } from "../http/http-answer.ts";

/** The answer to GET /readyz. docs/reference/health.md holds the contract. */
export type Readiness = StatusAnswer & {
  /** The versions that the program has; absent if it does not run, or no secret has versions. */
  readonly secrets?: readonly ShownSecret[];
  /** Absent if no kernel agent is asked for. */
  readonly agent?: ShownAgent;
};

/** The kernel agent that the settings ask for. */
export interface ShownAgent {
  readonly connected: boolean;
  /** Why it is not connected; one line for people. Absent until a connection has failed. */
  readonly reason?: string;
}

/** A version of a secret that the program has. */
export interface ShownSecret {
  /** With SVC_SHOW_PATHS=false its place in the list of secrets. */
  readonly path: string;
  readonly version: number;
  /** Since when, in the format of RFC 3339. */
  readonly since: string;
}

/** Whether clients may send requests to the program. */
export type StatusAnswer =
  /** The secrets are fresh, the application runs. */
  | {
      readonly status: "ready";
      /**
       * The token has died, and SVC_STALE_AFTER is not over: POST /v1/unseal brings another one.
       */
      readonly sealed?: true;
      /** Rotations that were completed since the wrapper's start. */
      readonly rotations: number;
      /** Number of restarts of the application, for all reasons. */
      readonly applicationRestarts: number;
      /** 0 to 100; absent before it was measured. */
      readonly protectionScore?: number;
    }
  | {
      readonly status: UnreadyStatus;
      /** One line for people. */
      readonly reason: string;
      /** The code of the failure that the reason names; absent if it names none. */
      readonly code?: string;
    };

/** Why it is not ready. */
export type UnreadyStatus =
  /**
   * No token that works: POST /v1/unseal brings one. A running application gets
   * this status when its values could not be checked for SVC_STALE_AFTER.
   */
  | "sealed"
  /** The first values are being fetched, or the application has not been started yet. */
  | "starting"
  /** The application runs with values that could not be checked for too long. */
  | "stale"
  /** The application runs, takes no more requests, and is about to be replaced. */
  | "draining"
  /** The application is being replaced. */
  | "restarting"
  /** The application has ended. */
  | "stopped";

/** Pure: the answer of GET /readyz. */
export function readinessAnswer(readiness: Readiness): HttpAnswer {
  return jsonAnswer(readiness.status === "ready" ? 200 : 503, readiness);
}
