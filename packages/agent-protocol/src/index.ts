/**
 * `@svc/agent-protocol`: the messages of wrappers and the kernel agent, generated from
 * formats/proto/svc/agent/v1.
 */
export {
  AgentService,
  DeliveryMethod,
  EnforcementTier,
  type Hello,
  Protection,
  type Register,
  RegisterSchema,
  type RegistrationRequest,
  RegistrationRequestSchema,
  type RegistrationResponse,
  RegistrationResponseSchema,
  type Tier,
  TierSchema,
  type Versions,
  VersionsSchema,
} from "./generated/svc/agent/v1/agent_pb.js";
