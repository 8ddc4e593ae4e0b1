import { type AgentErrorCode, agentErrorCatalogue } from "./error-catalogue.ts";

/** Why the agent cannot do something; switch on `code`, the text is for people. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code: AgentErrorCode;
  readonly hint: string;

  constructor(code: AgentErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = agentErrorCatalogue[code].hint;
  }
}
