import type { Logger } from "../log.ts";
import type { AgentSettings } from "../settings/wrapper-settings.ts";
import {
  type AgentAnswer,
  type EnforcementTier,
  nothingKnown,
  type ProgramWords,
  type Refusal,
  registerMessage,
  type Versions,
  type Welcome,
} from "./agent-messages.ts";
import { reconnectPauseMs } from "./agent-pace.ts";
import type { AgentStream } from "./agent-stream.ts";
import type { AgentTarget } from "./agent-target.ts";
import { openAgentStream } from "./engine/open-agent-stream.ts";
import { helloOf } from "./hello.ts";
import { warnOfUnwatchedToken } from "./unwatched-token.ts";

/** The wrapper's knowledge of the agent. */
export type AgentState =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected"; readonly tier: EnforcementTier }
  | { readonly kind: "away"; readonly reason: string };

/** How a registration came out. */
export type Registration =
  | { readonly kind: "registered" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The agent is away, which the log says. */
  | { readonly kind: "missing"; readonly reason: string }
  /** It is there, and did not answer in time. */
  | { readonly kind: "slow"; readonly reason: string };

export interface AgentLinkOptions {
  readonly target: AgentTarget;
  readonly settings: AgentSettings;
  /** The file of the token by which the wrapper logs in to the vault. */
  readonly tokenPath?: string | undefined;
  readonly log: Logger;
  readonly onState: (state: AgentState) => void;
}

interface Program {
  words: ProgramWords;
  request: bigint;
  isRegistered: boolean;
  /** It was not waited for any longer. */
  isLate: boolean;
  outcome: PromiseWithResolvers<Registration>;
  /** The wrapper is about to report its knowledge of it. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

const CONNECT_MS = 5_000;
// Past the moment in which the program starts and wants the processor.
const DESCRIBE_DELAY_MS = 250;

/**
 * The wrapper's connection with the kernel agent, which comes back by itself. Every program that
 * lives is registered on each new stream.
 */
export class AgentLink {
  readonly #options: AgentLinkOptions;
  readonly #programs = new Map<number, Program>();
  readonly #warnOfToken: (reason: string) => void;
  #state: AgentState = { kind: "connecting" };
  #left = Promise.withResolvers<void>();
  #stream: AgentStream | undefined;
  #failures = 0;
  #lastRequest = 0n;
  #hasWarned = false;
  /** The newest ones; undefined before a program had any. */
  #versions: Versions | undefined;
  /** The refusal of the whole stream. */
  #refusal: string | undefined;

  constructor(options: AgentLinkOptions) {
    this.#options = options;
    this.#warnOfToken = warnOfUnwatchedToken(options);
    void this.#connect();
  }

  get state(): AgentState {
    return this.#state;
  }

  /** Reports whether the connected agent has registered the process. */
  isRegistered(pid: number): boolean {
    return this.#programs.get(pid)?.isRegistered === true;
  }

  /** Keeps a process registered until it ends, with every agent that connects. */
  protect(pid: number, ended: Promise<unknown>): void {
    const outcome = Promise.withResolvers<Registration>();
    const program = { words: nothingKnown, request: 0n, isRegistered: false, isLate: false };
    this.#programs.set(pid, { ...program, outcome, timer: undefined });
    void ended.then(() => this.#programs.delete(pid));
    this.#register(pid);
  }

  /**
   * Tells more about a process that it protects, some time later: it is becoming the program right
   * now.
   */
  describe(pid: number, words: Partial<ProgramWords>): void {
    const program = this.#programs.get(pid);
    if (program === undefined) return;
    program.words = { ...program.words, ...words };
    program.timer ??= setTimeout(() => {
      program.timer = undefined;
      this.#register(pid);
    }, DESCRIBE_DELAY_MS);
  }

  /**
   * Waits for the registration of a process.
   *
   * @param patienceMs for an agent that is there and slow
   * @param waitsForReturn false: an agent that is away is not waited for
   */
  async registered(
    pid: number,
    patienceMs: number,
    waitsForReturn: boolean,
  ): Promise<Registration> {
    const program = this.#programs.get(pid);
    if (program === undefined) return missing("the process has ended");
    const late = Promise.withResolvers<Registration>();
    const timer = setTimeout(() => {
      const away = this.#awayReason();
      program.isLate = away === undefined;
      const slow = { kind: "slow", reason: `no answer within ${patienceMs} ms` } as const;
      late.resolve(away === undefined ? slow : missing(away));
    }, patienceMs);
    const away = this.#left.promise.then(() => missing(this.#awayReason() ?? "it is away"));
    try {
      const outcomes = [program.outcome.promise, late.promise];
      return await Promise.race(waitsForReturn ? outcomes : [...outcomes, away]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tells the agent the versions that the program has, and each agent that connects. */
  tellVersions(versions: Versions): void {
    this.#versions = versions;
    if (this.#state.kind === "connected") this.#stream?.send(versions);
  }

  #awayReason(): string | undefined {
    return this.#state.kind === "away" ? this.#state.reason : undefined;
  }

  async #connect(): Promise<void> {
    const { target, settings, tokenPath } = this.#options;
    let isOver = false;
    const onEnd = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#lost(reason);
    };
    const timer = setTimeout(() => {
      this.#stream?.close();
      onEnd(`no answer within ${CONNECT_MS} ms`);
    }, CONNECT_MS);
    try {
      const stream = await openAgentStream(target, settings, {
        onMessage: (message) => {
          clearTimeout(timer);
          this.#hear(message);
        },
        onEnd,
      });
      if (isOver) return stream.close();
      this.#stream = stream;
      stream.send(helloOf(settings, tokenPath));
    } catch (error) {
      onEnd(error instanceof Error ? error.message : "failed");
    }
  }

  #hear(answer: AgentAnswer): void {
    switch (answer.kind) {
      case "welcome":
        this.#welcomed(answer);
        break;
      case "tier":
        this.#enter({ kind: "connected", tier: answer.tier });
        this.#options.log.info("the kernel agent has another tier", { tier: answer.tier });
        break;
      case "registered":
        this.#registered(answer.request, answer.registration);
        break;
      case "refused":
        this.#refused(answer.request, answer);
        break;
      case "other":
        break;
    }
  }

  #welcomed({ version: agentVersion, tier, tokenUnwatched }: Welcome): void {
    this.#failures = 0;
    this.#hasWarned = false;
    this.#enter({ kind: "connected", tier });
    const { log, target } = this.#options;
    log.info("connected with the kernel agent", { agent: target.label, agentVersion, tier });
    this.#warnOfToken(tokenUnwatched);
    for (const pid of this.#programs.keys()) this.#register(pid);
    if (this.#versions !== undefined) this.tellVersions(this.#versions);
  }

  #register(pid: number): void {
    const program = this.#programs.get(pid);
    if (program === undefined || this.#state.kind !== "connected") return;
    this.#lastRequest += 1n;
    program.request = this.#lastRequest;
    this.#stream?.send(registerMessage(program.request, pid, program.words));
  }

  #registered(request: bigint, registration: bigint): void {
    this.#settle(request, { kind: "registered" });
    this.#options.log.debug("the program is registered", { registration: String(registration) });
  }

  #settle(request: bigint, registration: Registration): void {
    for (const program of this.#programs.values()) {
      if (program.request !== request) continue;
      program.outcome.resolve(registration);
      if (program.isLate && registration.kind === "registered") {
        this.#options.log.info("the kernel agent has registered the program, which runs already");
        program.isLate = false;
      }
      this.#noteRegistered(program, registration.kind === "registered");
    }
  }

  /** That much is a part of how well the program is protected. */
  #noteRegistered(program: Program, isRegistered: boolean): void {
    if (program.isRegistered === isRegistered) return;
    program.isRegistered = isRegistered;
    this.#options.onState(this.#state);
  }

  /** Request 0: of the whole stream, whose end comes next. */
  #refused(request: bigint, { code, message, hint }: Refusal): void {
    if (request === 0n) this.#refusal = message;
    this.#settle(request, { kind: "refused", refusal: { code, message, hint } });
    this.#warn(`the kernel agent refuses: ${message}`, { code, hint });
  }

  #lost(found: string): void {
    const reason = this.#refusal ?? found;
    const isRefused = this.#refusal !== undefined;
    this.#refusal = undefined;
    this.#stream = undefined;
    this.#failures += 1;
    for (const program of this.#programs.values()) {
      // One that has not started yet waits for the next agent, which knows nothing of it.
      if (program.isRegistered) program.outcome = Promise.withResolvers<Registration>();
      program.isRegistered = false;
    }
    const { log, target } = this.#options;
    if (this.#state.kind === "connected") {
      log.warn("the kernel agent is lost: the program goes on", { agent: target.label, reason });
      this.#hasWarned = true;
    }
    this.#enter({ kind: "away", reason });
    this.#warn(`the kernel agent is not there: ${reason}: it is tried again`, {
      agent: target.label,
    });
    const failures = { target: target.kind, count: this.#failures, isRefused };
    const pauseMs = reconnectPauseMs(failures, Math.random());
    setTimeout(() => void this.#connect(), pauseMs);
  }

  /** Once, until the agent connects again. */
  #warn(message: string, fields: Readonly<Record<string, string>>): void {
    if (!this.#hasWarned) this.#options.log.warn(message, fields);
    this.#hasWarned = true;
  }

  #enter(state: AgentState): void {
    const before = this.#state;
    this.#state = state;
    // It is tried every second: an unchanged state must cost nothing.
    if (state.kind === "away" && before.kind === "away" && state.reason === before.reason) return;
    if (state.kind === "away") this.#left.resolve();
    else if (state.kind === "connected") this.#left = Promise.withResolvers<void>();
    this.#options.onState(state);
  }
}

function missing(reason: string): Registration {
  return { kind: "missing", reason };
}
