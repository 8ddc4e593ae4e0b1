import type { AgentCaller, AgentRequest, AgentService } from "../host/agent-stream.ts";
import type { Machine } from "../machine/machine.ts";

/** The agent of a scenario. */
export interface AgentPlan {
  /** SVC_REQUIRE_AGENT. */
  readonly isRequired: boolean;
  /** It refuses each program, all after the first one, the whole stream, or none. */
  readonly refuses: "programs" | "later programs" | "streams" | "none";
  /** The times in which it is away. */
  readonly outages: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly slowestMs: number;
  /** It detects from the first to the last. */
  readonly keepsTier?: true;
  /** Almost 0 by default. */
  readonly fastestMs?: number;
}

/** Nothing calls it. */
export const noAgent: AgentPlan = {
  ...{ isRequired: false, refuses: "none", outages: [], slowestMs: 1 },
};

const MS = 1000;
const refusal = { code: "NOT_A_DESCENDANT", message: "not a descendant", hint: "look at the pod" };

/** The kernel agent of the node: it registers programs, and goes away at times. */
export class Agent implements AgentService {
  /** The programs that it knows; all are forgotten when it goes. */
  readonly registered = new Set<number>();
  /** The time at which it came. */
  hereSinceUs: number | undefined;
  /** The words of each message, without numbers that depend on the schedule. */
  readonly heard: string[] = [];
  /** The times at which a stream was opened. */
  readonly calledAtUs: number[] = [];
  readonly #machine: Machine;
  readonly #plan: AgentPlan;
  readonly #callers = new Set<AgentCaller>();

  constructor(machine: Machine, plan: AgentPlan) {
    this.#machine = machine;
    this.#plan = plan;
    this.hereSinceUs = machine.nowUs;
    for (const { fromMs, toMs } of plan.outages) {
      machine.after(fromMs * MS, () => this.#leave());
      machine.after(toMs * MS, () => {
        this.hereSinceUs = machine.nowUs;
        machine.trace.note("agent: here");
      });
    }
  }

  accept(caller: AgentCaller, target: object) {
    this.calledAtUs.push(this.#machine.nowUs);
    this.heard.push(`a stream to ${wordsOf(target)}`);
    this.#callers.add(caller);
    if (this.hereSinceUs === undefined) this.#end(caller, "ECONNREFUSED");
    return {
      hear: (message: AgentRequest) => this.#later(caller, () => this.#hear(caller, message)),
      gone: () => void this.#callers.delete(caller),
    };
  }

  #hear(caller: AgentCaller, message: AgentRequest): void {
    const { refuses } = this.#plan;
    this.heard.push(wordsOf(message));
    if (message.kind === "hello") {
      if (refuses === "streams") {
        caller.answer({ kind: "refused", request: 0n, ...refusal });
        this.#end(caller, "gRPC status 7: not a descendant");
        return;
      }
      caller.answer({ kind: "welcome", version: "1.0.0", tier: "detect", tokenUnwatched: "" });
      caller.answer({ kind: "other" });
      if (this.#plan.keepsTier) return;
      this.#later(caller, () => caller.answer({ kind: "tier", tier: "enforce" }));
      return;
    }
    if (message.kind === "versions") return;
    const { request, pid } = message;
    const isLater = this.registered.size > 0 && !this.registered.has(pid);
    if (refuses === "programs" || (refuses === "later programs" && isLater))
      caller.answer({ kind: "refused", request, ...refusal });
    else {
      this.registered.add(pid);
      this.#machine.trace.note(`agent: ${pid} is registered`);
      caller.answer({ kind: "registered", request, registration: BigInt(pid) });
    }
  }

  #later(caller: AgentCaller, act: () => void): void {
    const { fastestMs = 0.1, slowestMs } = this.#plan;
    const us = this.#machine.random.between(fastestMs * MS, slowestMs * MS);
    this.#machine.after(us, () => {
      if (this.#callers.has(caller)) act();
    });
  }

  #end(caller: AgentCaller, reason: string): void {
    this.#callers.delete(caller);
    this.#machine.after(100, () => caller.end(reason));
  }

  #leave(): void {
    this.hereSinceUs = undefined;
    this.registered.clear();
    this.#machine.trace.note("agent: away");
    for (const caller of [...this.#callers]) this.#end(caller, "closed");
  }
}

function wordsOf(message: object): string {
  return JSON.stringify(message, (name, value) => {
    // The host has secrets as objects: their value is not for a file.
    if (name === "token" || name === "key") return "a secret";
    if (name === "bareEnvironment") return value === 0n ? "unknown" : "known";
    if (name === "request" || name === "pid" || name === "sinceMs") return undefined;
    return typeof value === "bigint" ? String(value) : value;
  });
}
