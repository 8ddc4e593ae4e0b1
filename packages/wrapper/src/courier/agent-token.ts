import { closeDescriptor, SyscallError, writeDescriptor } from "@svc/kernel";
import { readSecretDescriptor, type SecretBytes } from "@svc/secret-bytes";
import { failure, WrapperError } from "../errors.ts";
import type { AgentConnection } from "../messages/job-message.ts";

// Far above any token.
const MAX_TOKEN_BYTES = 64 * 1024;
/** The agent sends the token when it gets a byte. */
const REQUEST = Uint8Array.of(1);

/**
 * Asks the agent for the service account's token, over the supervisor's connection: by that the
 * kernel tells the agent who asks.
 *
 * @throws WrapperError `AGENT_GIVES_NO_TOKEN`
 */
export function askAgentForToken(
  connection: AgentConnection | undefined,
  fd: number | undefined,
): SecretBytes {
  if (fd === undefined) throw givesNone(connection?.problem ?? "there is no connection");
  try {
    writeDescriptor(fd, REQUEST);
    const token = readSecretDescriptor(fd, MAX_TOKEN_BYTES);
    if (token.length === 0) throw givesNone("it has closed the connection");
    return token;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw givesNone(error.message, error);
  } finally {
    closeDescriptor(fd);
  }
}

function givesNone(found: string, cause?: unknown): WrapperError {
  const message = `ask the agent of the node for the service account's token: ${found}`;
  return new WrapperError([failure("AGENT_GIVES_NO_TOKEN", message)], cause);
}
