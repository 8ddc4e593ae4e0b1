import type { Listener } from "../host/network.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { PORT } from "./start-wrapper.ts";

/** A request to the health port that a process listens on. */
interface Asked {
  readonly atUs: number;
  readonly path: string;
  readonly process: Process;
}

/** An answer of the health port. */
export interface Probe {
  readonly atUs: number;
  readonly path: string;
  readonly status: number;
  readonly body: string;
  /** Whether a program ran when it was given. */
  readonly programRuns: boolean;
}

/** A request for a check. */
export interface CheckAsked {
  readonly atUs: number;
  /** The vault's newest version then. */
  readonly newest: number;
  status?: number | undefined;
}

/** Sends a hint to the health port, and hears the status of its answer. */
export type Delivered = (hint: string, done: (status: number | undefined) => void) => void;

/** The clients of the health port. */
export class HealthClient {
  readonly answers: Probe[] = [];
  readonly checks: CheckAsked[] = [];
  /** The answers to POST /v1/unseal. */
  readonly unsealed: string[] = [];
  /** Probes without an answer, the oldest first. */
  readonly unanswered = new Set<Asked>();
  readonly #machine: Machine;
  readonly #listeners: ReadonlyMap<number, Listener>;

  constructor(machine: Machine, listeners: ReadonlyMap<number, Listener>) {
    this.#machine = machine;
    this.#listeners = listeners;
  }

  /** Sends a GET request, if a process listens. */
  probe(path: string, programRuns: () => boolean): void {
    const machine = this.#machine;
    const listener = this.#listeners.get(PORT);
    if (listener === undefined) return;
    const asked = { atUs: machine.nowUs, path, process: listener.process };
    this.unanswered.add(asked);
    const visit = { method: "GET", path, headers: [], body: "", address: "10.0.0.9" };
    listener.visit(visit, (reply) => {
      this.unanswered.delete(asked);
      if (reply === undefined) return;
      const { status, body } = reply;
      const answer = { atUs: machine.nowUs, path, status, body };
      this.answers.push({ ...answer, programRuns: programRuns() });
    });
  }

  /** Asks POST /v1/check for a check. */
  askForCheck(newest: number): void {
    const asked: CheckAsked = { atUs: this.#machine.nowUs, newest };
    this.checks.push(asked);
    this.#post("/v1/check", [], (status) => {
      asked.status = status;
    });
  }

  /** Sends a hint. `done` hears the status of the answer; undefined without one. */
  readonly postHint: Delivered = (hint, done) =>
    this.#post("/v1/hints", [["svc-hint", hint]], done);

  #post(
    path: string,
    headers: readonly (readonly [string, string])[],
    done: (status: number | undefined) => void,
  ): void {
    const visit = { method: "POST", path, headers, body: "", address: "10.0.0.7" };
    const listener = this.#listeners.get(PORT);
    if (listener === undefined) done(undefined);
    else listener.visit(visit, (reply) => done(reply?.status));
  }

  /** Sends a token to POST /v1/unseal. */
  postToken(token: string): void {
    const headers = [["content-type", "application/json"]] as const;
    const body = JSON.stringify({ token });
    const visit = { method: "POST", path: "/v1/unseal", headers, body, address: "10.0.0.8" };
    this.#listeners.get(PORT)?.visit(visit, (reply) => {
      this.#machine.trace.note(`unseal: ${reply?.status ?? "no answer"}`);
      this.unsealed.push(
        reply === undefined ? "no answer" : `${reply.status} ${reply.body.trim()}`,
      );
    });
  }
}
