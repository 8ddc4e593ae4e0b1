import type { Process } from "../machine/process.ts";

/** A request to the vault, or another server outside of the machine. */
export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Its answer, or the reason for its absence, by the host's names. */
export type Outcome =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "fault"; readonly fault: string; readonly answered: boolean };

/** The servers outside of the machine. */
export interface Network {
  /** Sends a request. `done` is called at most once, in a separate event. Returns its end. */
  send(from: Process, request: Request, done: (outcome: Outcome) => void): () => void;
}

/** The head of a request to a server of the machine. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly address: string;
}

/** The answer of a server of the machine; undefined if it has closed without one. */
export type Reply = { readonly status: number; readonly body: string } | undefined;

/** A server of the machine that listens. */
export interface Listener {
  readonly process: Process;
  visit(visit: Visit, done: (reply: Reply) => void): void;
}
