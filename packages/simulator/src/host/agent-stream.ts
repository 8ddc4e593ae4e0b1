import type { ScriptState } from "./script-state.ts";

/** A message of the wrapper; svc-engine-agent.d.ts. */
export type AgentRequest =
  | { readonly kind: "hello" }
  | { readonly kind: "versions" }
  | {
      readonly kind: "register";
      readonly request: bigint;
      readonly pid: number;
      readonly bareEnvironment: bigint;
    };

/** A message of the agent. */
export type AgentAnswer =
  | {
      readonly kind: "welcome";
      readonly version: string;
      readonly tier: string;
      readonly tokenUnwatched: string;
    }
  | { readonly kind: "registered"; readonly request: bigint; readonly registration: bigint }
  | {
      readonly kind: "refused";
      readonly request: bigint;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    }
  | { readonly kind: "tier"; readonly tier: string }
  | { readonly kind: "other" };

/** The agent's end of a stream. */
export interface AgentCaller {
  answer(message: AgentAnswer): void;
  end(reason: string): void;
}

/** The agent of the node. */
export interface AgentService {
  /** A stream begins. Returns the ear for its messages, and for its end. */
  accept(
    caller: AgentCaller,
    target: object,
  ): {
    hear(message: AgentRequest): void;
    gone(): void;
  };
}

interface StreamOptions {
  /** The address of the agent, and the proofs of both sides. */
  readonly target: object;
  onMessage(message: AgentAnswer): void;
  onEnd(reason: string): void;
}

/** The host's stream to the agent. The connection itself and its TLS are not modelled. */
export function agentStream(service: AgentService, state: () => ScriptState) {
  return {
    openAgentStream(options: StreamOptions) {
      const { loop } = state();
      let isOpen = true;
      loop.requests++;
      const leave = () => {
        if (!isOpen) return false;
        isOpen = false;
        loop.requests--;
        return true;
      };
      const caller: AgentCaller = {
        answer: (message) =>
          loop.settle(() => {
            if (isOpen) options.onMessage(message);
          }),
        end: (reason) =>
          loop.settle(() => {
            if (leave()) options.onEnd(reason);
          }),
      };
      const ear = service.accept(caller, options.target);
      return {
        send: (message: AgentRequest) => {
          if (isOpen) ear.hear(message);
        },
        close: () => {
          if (leave()) ear.gone();
        },
      };
    },
  };
}
