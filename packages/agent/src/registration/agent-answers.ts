import { create } from "@bufbuild/protobuf";
import {
  EnforcementTier,
  type RegistrationResponse,
  RegistrationResponseSchema,
} from "@svc/agent-protocol";
import type { AgentError } from "../agent-error.ts";
import type { AnnouncedTier, EnforcementTierName } from "./tier-source.ts";

/** The answering agent. */
export interface AgentIdentity {
  readonly version: string;
  readonly bootId: string;
}

/** The agent's words about itself and about a wrapper. */
export interface WelcomeFacts {
  readonly tier: AnnouncedTier;
  /** Empty if they are reported. */
  readonly tokenUnwatched: string;
}

export function welcome(
  { version, bootId }: AgentIdentity,
  { tier, tokenUnwatched }: WelcomeFacts,
): RegistrationResponse {
  const value = { agentVersion: version, bootId, tier: tierFields(tier), tokenUnwatched };
  return create(RegistrationResponseSchema, { message: { case: "welcome", value } });
}

export function tierChange(tier: AnnouncedTier): RegistrationResponse {
  return create(RegistrationResponseSchema, {
    message: { case: "tier", value: tierFields(tier) },
  });
}

export function registered(
  request: bigint,
  registration: bigint,
  pid: number,
): RegistrationResponse {
  const value = { request, registration, pid };
  return create(RegistrationResponseSchema, { message: { case: "registered", value } });
}

export function refused(
  request: bigint,
  { code, message, hint }: AgentError,
): RegistrationResponse {
  const value = { request, code, message, hint };
  return create(RegistrationResponseSchema, { message: { case: "refused", value } });
}

function tierFields({ enforcement, capabilities }: AnnouncedTier) {
  return {
    enforcement: tierNumbers[enforcement],
    capabilities: capabilities.map(({ mechanism, available, reason = "" }) => ({
      mechanism,
      available,
      reason,
    })),
  };
}

const tierNumbers = {
  none: EnforcementTier.NONE,
  tracing: EnforcementTier.TRACING,
  detect: EnforcementTier.DETECT,
  kill: EnforcementTier.KILL,
  enforce: EnforcementTier.ENFORCE,
} as const satisfies Record<EnforcementTierName, EnforcementTier>;
