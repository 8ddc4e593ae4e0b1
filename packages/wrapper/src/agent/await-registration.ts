import { type Failure, failure } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { WrapperSettings } from "../settings.ts";
import type { AgentLink } from "./agent-link.ts";
import type { Refusal } from "./agent-messages.ts";

// An agent that is there answers within a few milliseconds, mostly while the secrets are being
// fetched. On a node at its limits it takes longer, and a thief has his chance then.
const PATIENCE_MS = 2000;

export interface RegistrationPorts {
  /** Undefined if no agent is asked for. */
  readonly agent: Pick<AgentLink, "registered"> | undefined;
  readonly settings: Pick<WrapperSettings, "startDeadlineMs"> & {
    readonly agent: Pick<WrapperSettings["agent"], "required">;
  };
  readonly log: Logger;
}

/**
 * Waits until the process may become the program: it is registered, or that is not asked for so
 * firmly.
 *
 * @returns why it must not
 */
export async function awaitRegistration(
  { agent, settings, log }: RegistrationPorts,
  pid: number,
): Promise<Failure | undefined> {
  if (agent === undefined) return undefined;
  const { required } = settings.agent;
  const patienceMs = required ? settings.startDeadlineMs : PATIENCE_MS;
  const registration = await agent.registered(pid, patienceMs, required);
  if (registration.kind === "slow" && !required) {
    const { reason } = registration;
    log.warn("the program starts before the kernel agent has registered it", { reason });
  }
  if (registration.kind === "registered" || !required) return undefined;
  const found =
    registration.kind === "refused" ? refusalText(registration.refusal) : registration.reason;
  return failure("AGENT_REQUIRED", `register the program with the kernel agent: ${found}`);
}

function refusalText({ message, code, hint }: Refusal): string {
  return `${message} (${code}): ${hint}`;
}
