import type { AgentSettings } from "../settings/wrapper-settings.ts";
import type { AgentAnswer, AgentRequest } from "./agent-messages.ts";
import type { AgentTarget } from "./agent-target.ts";

/** A stream to the agent: the method Registration of formats/proto/svc/agent/v1/agent.proto. */
export interface AgentStream {
  /** Sends a message, or keeps it for the connection; nothing if the stream is over. */
  send(message: AgentRequest): void;
  /** Closes the connection. Nothing is heard of the stream any more. */
  close(): void;
}

/** Hears of a stream. */
export interface AgentStreamListener {
  readonly onMessage: (message: AgentAnswer) => void;
  /** Called once, and last: why the stream is over. */
  readonly onEnd: (reason: string) => void;
}

/**
 * Opens a stream. A connection that fails is heard as the stream's end. The process stays alive
 * while the stream is open.
 *
 * @throws SyscallError if a file for TLS cannot be read; a token that cannot be is left out.
 */
export type OpenAgentStream = (
  target: AgentTarget,
  settings: AgentSettings,
  listener: AgentStreamListener,
) => Promise<AgentStream>;
