import { closeDescriptor, connectAt, SyscallError } from "@svc/kernel";
import type { JobMessage } from "../messages/job-message.ts";
import { loginFacts, type VaultAuth } from "../settings/vault-auth.ts";

/** A connection to the agent for a courier; disposing closes it. */
export interface Login extends Disposable {
  readonly fd: number | undefined;
  readonly jobMessage: Pick<JobMessage, "agentConnection">;
}

/**
 * Connects to the agent if the couriers log in with a token that it gives. The supervisor
 * connects, as the agent gives a token to a container's first process alone, and never reads: the
 * token goes to the courier.
 */
export function openLogin(auth: VaultAuth | undefined): Login {
  const { agentSocket } = loginFacts(auth);
  if (agentSocket === undefined) return withoutConnection({});
  try {
    const fd = connectAt(agentSocket);
    return { fd, jobMessage: { agentConnection: {} }, [Symbol.dispose]: () => closeDescriptor(fd) };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const problem = `${JSON.stringify(agentSocket)}: ${error.message}`;
    return withoutConnection({ agentConnection: { problem } });
  }
}

function withoutConnection(jobMessage: Login["jobMessage"]): Login {
  return { fd: undefined, jobMessage, [Symbol.dispose]: () => undefined };
}
