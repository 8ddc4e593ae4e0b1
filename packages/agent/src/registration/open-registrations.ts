import { existsSync } from "node:fs";
import { connectApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { Capabilities } from "../monitor/capabilities.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import type { RegistrationFacts as RecordedFacts } from "../report/audit-record.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { AgentIdentity } from "./agent-answers.ts";
import type { AnnouncedTier, EnforcementTierName } from "./announced-tier.ts";
import type { Marks } from "./marks.ts";
import { Registry } from "./registry.ts";
import { type TokenReviewer, tokenReviewer } from "./review-token.ts";
import { serveRegistrations } from "./serve-registrations.ts";
import type { TlsPaths } from "./tls-files.ts";

/** What registrations are taken with. */
export interface OpenRegistrationsOptions {
  readonly settings: AgentSettings;
  readonly monitor: Monitor | Blindness;
  readonly identity: AgentIdentity;
  readonly log: Log;
}

/** The agent's side of registrations. */
export interface Registrations {
  readonly registrationOf: (registration: bigint) => RecordedFacts | undefined;
  readonly counts: () => {
    readonly sessions: number;
    readonly registrations: number;
    readonly processes: number;
    readonly refused: number;
  };
  readonly stop: () => Promise<void>;
}

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const ownPod = { kind: "pod", host: "kubernetes.default.svc", port: "443" } as const;

/**
 * Takes registrations where the settings say. Where the kernel lets no program in they are taken all the same: a
 * wrapper that requires an agent has one, and is told what that is worth.
 *
 * @throws AgentError `SOCKET_UNUSABLE`, `REGISTRATION_TLS_UNUSABLE`
 */
export async function openRegistrations(options: OpenRegistrationsOptions): Promise<Registrations> {
  const { settings, monitor, identity, log } = options;
  const registry = new Registry();
  const tier = announcedTier(monitor.capabilities);
  const tls = tlsPaths(settings);
  const server = await serveRegistrations({
    ...{ registry, identity, log },
    marks: isBlind(monitor) ? noMarks : monitor.marks,
    // What the kernel takes is found out at the start, once.
    tier: { current: () => tier, onChange: () => () => undefined },
    socketPath: settings.socketPath,
    tcp: {
      ...settings.grpcListen,
      ...(tls && { tls }),
      ...(existsSync(SERVICE_ACCOUNT) && { reviewToken: lateReviewer(settings.tokenAudience) }),
    },
  });
  log("info", "registrations are taken", {
    socket: settings.socketPath,
    port: server.tcpPort,
    tls: tls !== undefined,
  });
  return {
    registrationOf: (registration) => recorded(registry, registration),
    counts: () => {
      const { connected, registrations, processes } = registry.counts();
      return { sessions: connected, registrations, processes, refused: server.turnedAway() };
    },
    stop: server.stop,
  };
}

/** What wrappers are told of what the kernel lets the agent see. */
export function announcedTier({ tier, mechanisms }: Capabilities): AnnouncedTier {
  return {
    enforcement: enforcements[tier],
    capabilities: Object.entries(mechanisms).map(([mechanism, { state, reason }]) => ({
      mechanism,
      available: state === "used" || state === "unused",
      ...(reason !== undefined && { reason }),
    })),
  };
}

const enforcements = {
  lsm: "detect",
  fmod_ret: "detect",
  tracing: "tracing",
  none: "none",
} as const satisfies Record<Capabilities["tier"], EnforcementTierName>;

const noMarks: Marks = {
  protect: () => undefined,
  own: () => undefined,
  disown: () => undefined,
  protectedBy: () => undefined,
};

function tlsPaths(settings: AgentSettings): TlsPaths | undefined {
  const { grpcCertPath: certPath, grpcKeyPath: keyPath, grpcClientCaPath: clientCaPath } = settings;
  if (certPath === undefined || keyPath === undefined) return undefined;
  return { certPath, keyPath, ...(clientCaPath !== undefined && { clientCaPath }) };
}

/** The client for the API server is loaded with the first token. */
function lateReviewer(audience: string): TokenReviewer {
  let reviewer: Promise<TokenReviewer> | undefined;
  return async (token) => {
    reviewer ??= connectApi(ownPod).then((api) => tokenReviewer(api, audience));
    return (await reviewer)(token);
  };
}

function recorded(registry: Registry, registration: bigint): RecordedFacts | undefined {
  const facts = registry.registrationOf(registration);
  if (facts === undefined) return undefined;
  const { podUid, named, rung, keyCount } = facts;
  return {
    ...(podUid !== undefined && { podUid }),
    ...(named.podName !== undefined && { podName: named.podName }),
    ...(named.podNamespace !== undefined && { namespace: named.podNamespace }),
    ...(named.container !== undefined && { container: named.container }),
    rung,
    keyCount,
  };
}
