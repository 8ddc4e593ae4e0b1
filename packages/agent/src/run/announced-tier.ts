import type { EventMechanism } from "../events/audit-event.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import type { Enforcement } from "../monitor/stop-rows.ts";
import type { AnnouncedTier, EnforcementTierName } from "../registration/tier-source.ts";

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
