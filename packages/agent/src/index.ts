/**
 * `@svc/agent`: sees attempts on protected processes. The exports of the kernel agent for other
 * parts and their tests.
 */
export { AgentError } from "./agent-error.ts";
export { prepareDriver } from "./csi/serve-driver.ts";
export { type AgentErrorCode, agentErrorCatalogue } from "./error-catalogue.ts";
export type {
  AuditEvent,
  CoreSignalEvent,
  EventAbi,
  EventActor,
  EventDecision,
  EventFacts,
  EventMechanism,
  EventSystemCall,
  EventTarget,
  KernelFileEvent,
  KernelMemoryEvent,
  NodeEvent,
  ProcessCallEvent,
  ProcessFile,
  ProcessFileEvent,
  PtraceEvent,
  TaskAccessEvent,
} from "./events/audit-event.ts";
export { decodeEvent } from "./events/decode-event.ts";
export { type MonitorProgram, monitorPrograms } from "./monitor/monitor-programs.ts";
export type { RegistrationRules } from "./registration/authority.ts";
export { type Ledger, openLedger } from "./registration/ledger.ts";
export type { Marks } from "./registration/marks.ts";
export { type RegistrationFacts, Registry, type RegistryCounts } from "./registration/registry.ts";
export { type TokenReviewer, tokenReviewer } from "./registration/review-token.ts";
export {
  type RegistrationOptions,
  type RegistrationServer,
  serveRegistrations,
} from "./registration/serve-registrations.ts";
export type { TcpOptions } from "./registration/serve-tcp.ts";
export type {
  AnnouncedTier,
  EnforcementTierName,
  TierCapability,
  TierSource,
} from "./registration/tier-source.ts";
export { type DriverParts, openDriver } from "./run/open-driver.ts";
export { Spool, type SpoolBatch } from "./spool/spool.ts";
export type { SpoolCounts, SpoolOptions } from "./spool/spool-options.ts";
