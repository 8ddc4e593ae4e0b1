import type { Brief, CourierDescriptors } from "../brief.ts";
import type { CourierMessage } from "../courier-message.ts";
import type { Logger } from "../log.ts";

/** What every job of a courier has. */
export interface CourierContext {
  readonly brief: Brief;
  readonly descriptors: CourierDescriptors;
  readonly log: Logger;
  /** Tells the supervisor. */
  readonly say: (message: CourierMessage) => void;
}
