import type { Logger } from "../log.ts";
import type { Brief, CourierDescriptors } from "../messages/brief.ts";
import type { CourierMessage } from "../messages/courier-message.ts";

/** The parts that every job of a courier has. */
export interface CourierContext {
  readonly brief: Brief;
  readonly descriptors: CourierDescriptors;
  readonly log: Logger;
  /** Tells the supervisor. */
  readonly say: (message: CourierMessage) => void;
}
