import type { AgentLink } from "../agent/agent-link.ts";
import type { Logger } from "../log.ts";
import type { WrapperSettings } from "../settings.ts";
import type { Children } from "../supervisor/children.ts";
import type { Couriers } from "../supervisor/couriers.ts";
import type { SessionHolder } from "../supervisor/session-holder.ts";
import type { SignalFront } from "../supervisor/signal-front.ts";
import type { HealthPort } from "./health-port.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Status } from "./status.ts";

/** What every phase of the wrapper's life works with. */
export interface World {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  readonly children: Children;
  readonly couriers: Couriers;
  readonly session: SessionHolder;
  readonly front: SignalFront;
  readonly leftovers: Leftovers;
  readonly health: HealthPort;
  readonly status: Status;
  /** Undefined where no agent is asked for. */
  readonly agent: AgentLink | undefined;
}
