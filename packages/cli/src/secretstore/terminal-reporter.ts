import type { NamedStep, ProgressEvent } from "@svc/bootstrap";
import type { Reporter, ToldError, ToldResult } from "./reporter.ts";
import { stepLine, type TextReporter } from "./text-reporter.ts";

const REDRAW_MS = 1000;
/** To the line's beginning, and erase to its end (ECMA-48 EL). */
const CLEAR = "\r\u001B[K";

/** The outputs of the terminal reporter. */
export interface Terminal {
  readonly write: (text: string) => void;
  /** The width, of which a longer line would leave a part behind. */
  readonly columns: () => number;
}

/**
 * The step list on a terminal: below the ended steps one line shows the present step, its duration,
 * and the reason for a wait.
 */
export class TerminalReporter implements Reporter {
  readonly #text: TextReporter;
  readonly #terminal: Terminal;
  #current: { readonly named: NamedStep; readonly startMs: number } | undefined;
  #reason = "";
  #timer: Timer | undefined;

  constructor(text: TextReporter, terminal: Terminal) {
    this.#text = text;
    this.#terminal = terminal;
  }

  progress(event: ProgressEvent): void {
    switch (event.event) {
      case "started":
        this.#current = { named: event, startMs: performance.now() };
        this.#reason = "";
        this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS);
        this.#timer.unref();
        this.#draw();
        break;
      case "waiting":
        this.#reason = event.for;
        this.#draw();
        break;
      case "ended":
      case "failed":
        this.#stop();
        this.#text.progress(event);
        break;
      case "warning":
        this.warning(event.message);
        break;
    }
  }

  warning(message: string): void {
    this.#clear();
    this.#text.warning(message);
    this.#draw();
  }

  error(error: ToldError): void {
    this.#stop();
    this.#text.error(error);
  }

  result(result: ToldResult): void {
    this.#stop();
    this.#text.result(result);
  }

  #draw(): void {
    const { named, startMs } = this.#current ?? {};
    const waiting = this.#reason === "" ? "" : `waiting: ${this.#reason}`;
    if (named === undefined && waiting === "") return;
    const seconds = startMs === undefined ? 0 : Math.floor((performance.now() - startMs) / 1000);
    const elapsed = seconds === 0 ? "" : ` (${seconds} s)`;
    const label = named === undefined ? "" : `${this.#text.label(named)}${elapsed}`;
    const line = stepLine("working", [label, waiting].filter((it) => it !== "").join(": "));
    this.#terminal.write(`${CLEAR}${line.slice(0, Math.max(20, this.#terminal.columns() - 1))}`);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    this.#current = undefined;
    this.#reason = "";
  }

  #clear(): void {
    if (this.#current !== undefined || this.#reason !== "") this.#terminal.write(CLEAR);
  }
}
