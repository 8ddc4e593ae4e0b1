import type { Machine } from "../machine/machine.ts";
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

const LOOPBACK = "127.0.0.1";
const REFUSED_US = 100;

/** Takes a request for the machine itself to the server that listens there. */
export function routed(
  machine: Machine,
  outside: Network,
  listeners: ReadonlyMap<number, Listener>,
): Network {
  return {
    send(from, request, done) {
      const { hostname, port, pathname } = new URL(request.url);
      if (hostname !== LOOPBACK) return outside.send(from, request, done);
      const { method, headers, body } = request;
      const listener = listeners.get(Number(port));
      const fault = (name: string) =>
        machine.after(REFUSED_US, () => done({ kind: "fault", fault: name, answered: false }));
      if (!listener?.process.isAlive) fault("refused");
      else {
        const visit = { method, path: pathname, headers, body, address: LOOPBACK };
        listener.visit(visit, (reply) => {
          if (reply === undefined) fault("closed");
          else done({ kind: "answer", headers: {}, ...reply });
        });
      }
      return () => undefined;
    },
  };
}
