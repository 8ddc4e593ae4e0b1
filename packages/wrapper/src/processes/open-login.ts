import { connectAt, SyscallError } from "@svc/kernel";
import type { Brief } from "../messages/brief.ts";
import type { VaultAuth } from "../settings.ts";

/** A connection to the agent for a courier; the caller's to close. */
export interface Login {
  readonly fd: number | undefined;
  readonly brief: Pick<Brief, "agentConnection">;
}

/**
 * Connects to the agent where the couriers log in with a token that it gives. The supervisor connects,
 * as the agent gives a token to a container's first process alone, and never reads: the token goes to
 * the courier.
 */
export function openLogin(auth: VaultAuth): Login {
  if (auth.method !== "kubernetes" || auth.jwt.kind !== "agent")
    return { fd: undefined, brief: {} };
  try {
    return { fd: connectAt(auth.jwt.path), brief: { agentConnection: {} } };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const problem = `${JSON.stringify(auth.jwt.path)}: ${error.message}`;
    return { fd: undefined, brief: { agentConnection: { problem } } };
  }
}
