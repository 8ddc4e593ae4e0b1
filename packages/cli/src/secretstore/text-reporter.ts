import type { NamedStep, ProgressEvent } from "@svc/bootstrap";
import type { Reporter, ToldError, ToldResult } from "./reporter.ts";
import type { StepLabels } from "./step-labels.ts";

/** Where a text reporter writes. */
export interface TextOutputs {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The inputs of a text reporter. */
export interface TextStyle {
  readonly labels: StepLabels;
  /** True if the steps are only said. */
  readonly dryRun?: boolean;
}

/** The end of the column of outcomes. */
const WIDTH = 10;

/** Tells people what happens, a line for each step that has ended. */
export class TextReporter implements Reporter {
  readonly #outputs: TextOutputs;
  readonly #style: TextStyle;

  constructor(outputs: TextOutputs, style: TextStyle) {
    this.#outputs = outputs;
    this.#style = style;
  }

  progress(event: ProgressEvent): void {
    switch (event.event) {
      case "started":
        return;
      case "ended": {
        const outcome = this.#style.dryRun === true ? wouldBe(event.outcome) : event.outcome;
        const differs = event.differs === undefined ? "" : ` (${event.differs.join(", ")})`;
        this.#line(outcome, `${this.label(event)}${differs}`);
        break;
      }
      case "failed":
        this.#line("failed", this.label(event));
        break;
      case "waiting":
        this.#line("waiting", event.for);
        break;
      case "warning":
        this.warning(event.message);
        break;
    }
  }

  warning(message: string): void {
    this.#outputs.err(`svc: warning: ${message}\n`);
  }

  error({ message, hint }: ToldError): void {
    this.#outputs.err(`svc: error: ${message}\n`);
    if (hint !== "") this.#outputs.err(`svc: hint: ${hint}\n`);
  }

  result({ lines }: ToldResult): void {
    for (const line of lines) this.#outputs.out(`${line}\n`);
  }

  /** A step in words. */
  label({ step, target }: NamedStep): string {
    const label = this.#style.labels[step];
    return target === undefined ? label : `${label} ${target}`;
  }

  #line(outcome: string, text: string): void {
    this.#outputs.out(`${stepLine(outcome, text)}\n`);
  }
}

/** A line of the step list. */
export function stepLine(outcome: string, text: string): string {
  return `  ${outcome.padEnd(WIDTH)} ${text}`;
}

function wouldBe(outcome: string): string {
  switch (outcome) {
    case "created":
      return "to create";
    case "updated":
      return "to update";
    default:
      return outcome;
  }
}
