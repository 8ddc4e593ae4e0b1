import type { AgentState } from "../monitor/agent-state.ts";
import type { BreakGlassCaller } from "./leave-trace.ts";

/** Why the guards were opened, and by which process; absent if this agent was not asked. */
export interface Opening {
  readonly reason: string;
  readonly actor: BreakGlassCaller;
}

/** The effects of watching the guards. */
export interface BreakGlassEdge {
  readonly state: Pick<AgentState, "close" | "openFor" | "wereOpened">;
  /** Writes to the audit trail. */
  readonly tell: (
    kind: "agent_break_glass" | "agent_break_glass_ended",
    facts: Readonly<Record<string, unknown>>,
  ) => void;
}

/**
 * Tells the audit trail when the guards close after a break-glass, also if they close by
 * themselves or were opened before this agent.
 */
export class BreakGlassWatch {
  readonly #edge: BreakGlassEdge;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;
  #opening: Opening | undefined;

  constructor(edge: BreakGlassEdge) {
    this.#edge = edge;
  }

  /**
   * At the start of an agent: an earlier one, or the command without an agent, may have opened the
   * guards.
   */
  begin(): void {
    const { state, tell } = this.#edge;
    const left = state.openFor();
    this.#isOpen = state.wereOpened();
    if (left > 0) tell("agent_break_glass", { asked: "found_open", ...endOf(left) });
    this.#look("expired");
  }

  opened(opening: Opening): void {
    this.#isOpen = true;
    this.#opening = opening;
    this.#look("expired");
  }

  closed(): void {
    this.#look("closed");
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #look(how: "closed" | "expired"): void {
    const { state, tell } = this.#edge;
    clearTimeout(this.#timer);
    const left = state.openFor();
    if (left > 0) {
      // The kernel's clock has the last word: a timer may be early.
      this.#timer = setTimeout(() => this.#look("expired"), left + 1).unref();
      return;
    }
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // So that the next agent does not report it again.
    state.close();
    const { reason, actor } = this.#opening ?? {};
    const opened = { ...(reason !== undefined && { reason }), ...(actor && { openedBy: actor }) };
    this.#opening = undefined;
    tell("agent_break_glass_ended", { how, ...opened });
  }
}

/** The end of an opening, for people. */
export function endOf(milliseconds: number) {
  const seconds = Math.ceil(milliseconds / 1000);
  return { seconds, until: new Date(Date.now() + milliseconds).toISOString() };
}
