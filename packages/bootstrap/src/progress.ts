import type { StepName, StepOutcome } from "./step.ts";

/** Everything that a run does, in the words of its reports. */
export type RunStep = StepName | "reset" | "note-cluster" | "note-settings" | "revoke-root";

/** The result of a step; `skipped` if it cannot be checked. In a dry run: the planned result. */
export type RunOutcome = StepOutcome["outcome"] | "skipped";

/** The outcome of a step. */
export interface StepReport {
  readonly outcome: RunOutcome;
  /** The names of the fields that were other than wanted. */
  readonly differs?: readonly string[];
}

/** A step, and the pod that it is about if it is about one. */
export interface NamedStep {
  readonly step: RunStep;
  readonly target?: string;
}

/** One thing that has happened in a run. Nothing in it is secret. */
export type ProgressEvent =
  | ({ readonly event: "started" } & NamedStep)
  | ({ readonly event: "ended"; readonly ms: number } & NamedStep & StepReport)
  | ({ readonly event: "failed"; readonly ms: number } & NamedStep)
  | { readonly event: "waiting"; readonly for: string }
  | { readonly event: "warning"; readonly message: string };

/** Reports the steps of one run. */
export class Progress {
  readonly #report: (event: ProgressEvent) => void;
  readonly #outcomes: RunOutcome[] = [];
  #waitingFor = "";

  constructor(report: (event: ProgressEvent) => void) {
    this.#report = report;
  }

  /** How many steps have changed something. */
  get changes(): number {
    return this.#outcomes.filter((it) => it === "created" || it === "updated").length;
  }

  /** Takes a step and reports its beginning and its end. */
  async step<T extends StepReport>(named: NamedStep, act: () => Promise<T>): Promise<T> {
    const start = performance.now();
    this.#waitingFor = "";
    this.#report({ event: "started", ...named });
    try {
      const report = await act();
      this.end(named, report, performance.now() - start);
      return report;
    } catch (error) {
      this.#report({ event: "failed", ...named, ms: performance.now() - start });
      throw error;
    }
  }

  /** Reports a step that has been taken. */
  end(named: NamedStep, { outcome, differs }: StepReport, ms = 0): void {
    this.#outcomes.push(outcome);
    const fields = differs === undefined ? {} : { differs };
    this.#report({ event: "ended", ...named, outcome, ...fields, ms });
  }

  /** Reports the reason for a wait, once for each reason. */
  waiting(reason: string): void {
    if (reason === this.#waitingFor) return;
    this.#waitingFor = reason;
    this.#report({ event: "waiting", for: reason });
  }

  /** Reports a problem, and stops nothing. */
  warn(message: string): void {
    this.#report({ event: "warning", message });
  }
}
