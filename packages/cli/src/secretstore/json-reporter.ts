import type { ProgressEvent } from "@svc/bootstrap";
import type { Reporter, ToldError, ToldResult } from "./reporter.ts";

/**
 * Tells everything as JSON objects on standard output, one a line; the last one is the result or
 * the error.
 */
export class JsonReporter implements Reporter {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  progress(event: ProgressEvent): void {
    switch (event.event) {
      case "started":
      case "failed":
      case "ended": {
        const { event: state, ...rest } = event;
        this.#line({ type: "step", state, ...rounded(rest) });
        break;
      }
      case "waiting":
        this.#line({ type: "waiting", for: event.for });
        break;
      case "warning":
        this.warning(event.message);
        break;
    }
  }

  warning(message: string): void {
    this.#line({ type: "warning", message });
  }

  error(error: ToldError): void {
    this.#line({ type: "error", ...error });
  }

  result({ fields }: ToldResult): void {
    this.#line({ type: "result", ...fields });
  }

  #line(value: object): void {
    this.#write(`${JSON.stringify(value)}\n`);
  }
}

function rounded<T extends object>(event: T): T {
  return "ms" in event ? { ...event, ms: Math.round(Number(event.ms)) } : event;
}
