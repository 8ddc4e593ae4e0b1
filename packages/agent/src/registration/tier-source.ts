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
