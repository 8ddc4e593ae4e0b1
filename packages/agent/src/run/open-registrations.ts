import type { Log } from "@svc/logging";
import { version } from "@svc/protocol";
import type { RegistrationCounts } from "../health/agent-facts.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import type { AnnouncedTier } from "../registration/announced-tier.ts";
import type { Marks } from "../registration/marks.ts";
import { Registry } from "../registration/registry.ts";
import type { TokenReviewer } from "../registration/review-token.ts";
import { serveRegistrations } from "../registration/serve-registrations.ts";
import type { RegistrationFacts } from "../report/audit-record.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { giveMemoryBack } from "./give-memory-back.ts";

/** Where wrappers register, and what they have registered. */
export interface Registrations {
  readonly registrationOf: (registration: bigint) => RegistrationFacts | undefined;
  readonly counts: () => RegistrationCounts;
  readonly stop: () => Promise<void>;
}

export interface RegistrationsOptions {
  readonly settings: AgentSettings;
  readonly monitor: Monitor | Blindness;
  readonly bootId: string;
  readonly log: Log;
}

/**
 * Begins to take registrations.
 *
 * @throws AgentError `SOCKET_UNUSABLE`, `REGISTRATION_TLS_UNUSABLE`
 */
export async function openRegistrations(options: RegistrationsOptions): Promise<Registrations> {
  const { settings, monitor, bootId, log } = options;
  const registry = new Registry();
  const tier = announcedTier(monitor.capabilities);
  const tls = tlsPaths(settings);
  const reviewToken = tls && (await tokenReviewerOf(settings));
  const server = await serveRegistrations({
    registry,
    marks: isBlind(monitor) ? noMarks : monitor.marks,
    identity: { version, bootId },
    // What a kernel lets in is decided once, at the start.
    tier: { current: () => tier, onChange: () => () => undefined },
    log,
    onQuiet: giveMemoryBack,
    socketPath: settings.socketPath,
    tcp: { ...settings.grpcListen, ...(tls && { tls }), ...(reviewToken && { reviewToken }) },
  });
  log("info", "registrations are taken", { socket: settings.socketPath, port: server.tcpPort });
  if (tls === undefined) {
    log("info", "nobody can register over TCP: GRPC_TLS_CERT is not set", {});
  }
  return {
    registrationOf: (registration) => factsOf(registry.registrationOf(registration)),
    counts: () => ({ ...registry.counts(), turnedAway: server.turnedAway() }),
    stop: server.stop,
  };
}

/** What wrappers are told: hooks see where the kernel decides, tracing at the entry of calls. */
export function announcedTier({ tier, mechanisms }: Capabilities): AnnouncedTier {
  const names = { none: "none", tracing: "tracing", lsm: "detect", fmod_ret: "detect" } as const;
  return {
    enforcement: names[tier],
    capabilities: Object.entries(mechanisms).map(([mechanism, { state, reason }]) => ({
      mechanism,
      available: state === "used" || state === "unused",
      ...(reason !== undefined && { reason }),
    })),
  };
}

/** Where the kernel lets no program in there is nobody to be told. */
const noMarks: Marks = {
  protect: () => undefined,
  own: () => undefined,
  disown: () => undefined,
  protectedBy: () => undefined,
};

function tlsPaths({ grpcCertPath, grpcKeyPath, grpcClientCaPath }: AgentSettings) {
  if (grpcCertPath === undefined || grpcKeyPath === undefined) return undefined;
  return {
    certPath: grpcCertPath,
    keyPath: grpcKeyPath,
    ...(grpcClientCaPath !== undefined && { clientCaPath: grpcClientCaPath }),
  };
}

/** Loaded where it is wanted: the client library is 10 MB. */
async function tokenReviewerOf(settings: AgentSettings): Promise<TokenReviewer | undefined> {
  const { apiHost: host, apiPort: port, tokenAudience } = settings;
  if (host === undefined) return undefined;
  const { connectApi } = await import("@svc/kubernetes");
  const { tokenReviewer } = await import("../registration/review-token.ts");
  return tokenReviewer(await connectApi({ kind: "pod", host, port }), tokenAudience);
}

function factsOf(facts: ReturnType<Registry["registrationOf"]>): RegistrationFacts | undefined {
  if (facts === undefined) return undefined;
  const { podUid, named, containerId, rung, keyCount } = facts;
  return {
    ...(podUid !== undefined && { podUid }),
    ...(containerId !== undefined && { containerId }),
    ...(named.podName !== undefined && { podName: named.podName }),
    ...(named.podNamespace !== undefined && { namespace: named.podNamespace }),
    ...(named.container !== undefined && { container: named.container }),
    ...{ rung, keyCount },
  };
}
