import type { EventMechanism } from "../events/audit-event.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import type { Enforcement } from "../monitor/stop-rows.ts";

/** The reaction to an attempt; `none`: the kernel lets no program in. */
export type EnforcementTierName = "none" | "tracing" | "detect" | "kill" | "enforce";

/** One way by which attempts are seen. */
export interface TierCapability {
  readonly mechanism: string;
  readonly available: boolean;
  /** Why it is not. */
  readonly reason?: string;
}

/** The facts about this node for wrappers. */
export interface AnnouncedTier {
  readonly enforcement: EnforcementTierName;
  readonly capabilities: readonly TierCapability[];
}

/** Where the tier comes from. */
export interface TierSource {
  readonly current: () => AnnouncedTier;
  /** Calls at every change; returns the function that ends that. */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * Pure: the facts for wrappers. Hooks see attempts at the kernel's decision; tracing sees them at
 * the entry of calls.
 */
export function announcedTier({
  tier,
  enforcement,
  mechanisms,
}: Pick<Capabilities, "tier" | "enforcement" | "mechanisms">): AnnouncedTier {
  return {
    enforcement: stops[enforcement] ?? sees[tier],
    capabilities: Object.entries(mechanisms).map(([mechanism, { state, reason }]) => ({
      mechanism,
      available: state === "used" || state === "unused",
      ...(reason !== undefined && { reason }),
    })),
  };
}

const stops: Readonly<Record<Enforcement, EnforcementTierName | undefined>> = {
  refuse: "enforce",
  kill: "kill",
  none: undefined,
};

const sees: Readonly<Record<EventMechanism | "none", EnforcementTierName>> = {
  ...{ none: "none", tracing: "tracing", override: "tracing" },
  ...{ lsm: "detect", fmod_ret: "detect" },
};
