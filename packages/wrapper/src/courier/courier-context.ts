import type { SecretBytes } from "@svc/secret-bytes";
import type { Logger } from "../log.ts";
import type { CourierMessage } from "../messages/courier-message.ts";
import type { CourierDescriptors, JobMessage } from "../messages/job-message.ts";

/** The parts that every job of a courier has. */
export interface CourierContext {
  readonly jobMessage: JobMessage;
  readonly descriptors: CourierDescriptors;
  readonly log: Logger;
  /**
   * The service account's token, from the agent, which is asked once.
   * @throws WrapperError `AGENT_GIVES_NO_TOKEN`
   */
  readonly agentToken: () => SecretBytes;
  /** Tells the supervisor. */
  readonly say: (message: CourierMessage) => void;
}
