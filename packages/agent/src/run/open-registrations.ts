import { bootNanoseconds, giveMemoryBack } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { version } from "@svc/protocol";
import type { RegistrationCounts } from "../health/agent-facts.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import { isIn, stopPolicy } from "../monitor/stop-policy.ts";
import { endTracer, type TracerEnd } from "../registration/end-tracer.ts";
import type { TracedProcess } from "../registration/find-tracer.ts";
import type { VersionsOfProgram } from "../registration/held-versions.ts";
import { type Ledger, openLedger } from "../registration/ledger.ts";
import type { Marks } from "../registration/marks.ts";
import type { SocketListener } from "../registration/open-listener.ts";
import { RateLimit } from "../registration/rate-limit.ts";
import { Registry } from "../registration/registry.ts";
import { restoreMarks } from "../registration/restore-marks.ts";
import type { TokenReviewer } from "../registration/review-token.ts";
import { serveRegistrations } from "../registration/serve-registrations.ts";
import type { RegistrationFacts } from "../report/audit-record.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { SwapFacts } from "../swap/swap-keeper.ts";
import type { TokenFileCounts } from "../token-files/token-files.ts";
import { announcedTier } from "./announced-tier.ts";
import { keepOutOfSwap } from "./keep-out-of-swap.ts";
import { keepTokenFiles } from "./keep-token-files.ts";

/** The socket for registrations, and the registrations. */
export interface Registrations {
  readonly registrationOf: (registration: bigint) => RegistrationFacts | undefined;
  readonly counts: () => RegistrationCounts;
  readonly versions: () => readonly VersionsOfProgram[];
  readonly swap: () => SwapFacts;
  readonly tokenFiles: () => TokenFileCounts;
  readonly stop: () => Promise<void>;
}

export interface RegistrationsOptions {
  readonly settings: AgentSettings;
  readonly monitor: Monitor | Blindness;
  readonly sockets: readonly SocketListener[];
  readonly bootId: string;
  readonly log: Log;
  /** Receives processes that were traced before their registration; not all of a flood. */
  readonly onTraced: (traced: TracedProcess, decision: TracerEnd) => void;
}

/** A client that connects again and again must not fill the spool. */
const tracedRate = { burst: 64, perSecond: 1 };

/**
 * Begins to take registrations.
 *
 * @throws AgentError `REGISTRATION_ADDRESS_UNUSABLE`, `REGISTRATION_TLS_UNUSABLE`
 */
export async function openRegistrations(options: RegistrationsOptions): Promise<Registrations> {
  const { settings, monitor, sockets, bootId, log } = options;
  const ledger = ledgerOf(options);
  // Numbers of agents before are in the kernel still.
  const registry = new Registry({ first: bootNanoseconds(), ledger });
  const swap = keepOutOfSwap({ keepsOut: settings.keepOutOfSwap, registry, log });
  const tokenFiles = keepTokenFiles({ settings, monitor, log });
  const tier = announcedTier(monitor.capabilities);
  const marks = isBlind(monitor) ? noMarks : marksOf(monitor);
  restoreMarks({ marks, registry }, ledger.known, ({ pid }, error) =>
    log("error", error.message, { code: error.code, pid, hint: "its wrapper registers it again" }),
  );
  const tls = tlsPaths(settings);
  const reviewToken = tls && (await tokenReviewerOf(settings));
  const server = await serveRegistrations({
    ...{ registry, marks, log, sockets },
    tokens: tokenFiles.watch,
    identity: { version, bootId },
    // The kernel's acceptance of programs is decided once, at the start.
    tier: { current: () => tier, onChange: () => () => undefined },
    onTraced: tracedHandler(options, marks),
    onQuiet: giveMemoryBack,
    rules: { users: settings.registrationUsers, units: settings.registrationUnits },
    tcp: { ...settings.grpcListen, ...(tls && { tls }), ...(reviewToken && { reviewToken }) },
  });
  log("info", "registrations are taken", { socket: settings.socketPath, port: server.tcpPort });
  if (tls === undefined) {
    log("info", "no wrapper can register over TCP: GRPC_TLS_CERT is not set", {});
  }
  return {
    registrationOf: (registration) => factsOf(registry.registrationOf(registration)),
    counts: () => ({ ...registry.counts(), turnedAway: server.turnedAway() }),
    versions: () => registry.versions(),
    swap: swap.facts,
    tokenFiles: tokenFiles.facts,
    stop: () => {
      swap.stop();
      tokenFiles.stop();
      return server.stop();
    },
  };
}

function ledgerOf({ settings, bootId, log }: RegistrationsOptions): Ledger {
  const path = settings.registryPath;
  return openLedger({
    ...{ path, bootId },
    onFault: (found) =>
      log("error", "cannot note the owner of each process for the next agent", {
        ...{ path, found },
        hint: "after a restart the agent protects programs when their wrappers come back, and an ancestor of a wrapper may own its program until then",
      }),
  });
}

/** Ends the tracer of a process if the settings want that, and reports it. */
function tracedHandler(options: RegistrationsOptions, marks: Marks) {
  const { settings, monitor, log } = options;
  const rate = new RateLimit(tracedRate);
  const endsTracers =
    !isBlind(monitor) && !settings.dryRun && isIn(stopPolicy(settings).killed, "ptrace");
  return (traced: TracedProcess): void => {
    const decision = endsTracers ? endTracer(traced, marks) : "observed";
    if (!rate.take()) return;
    const { pid, tracer } = traced;
    const facts = { pid, tracer: tracer.pid, decision };
    log("warn", "a process that is registered is traced already", facts);
    options.onTraced(traced, decision);
  };
}

function marksOf({ marks, keepRegions }: Monitor): Marks {
  return { ...marks, keepRegions };
}

/** If the kernel refuses every program, no program needs the facts. */
const noMarks: Marks = {
  protect: () => undefined,
  own: () => undefined,
  markHelper: () => undefined,
  protectedBy: () => undefined,
  ownedBy: () => undefined,
  keepRegions: () => undefined,
};

function tlsPaths({ grpcCertPath, grpcKeyPath, grpcClientCaPath }: AgentSettings) {
  if (grpcCertPath === undefined || grpcKeyPath === undefined) return undefined;
  return {
    certPath: grpcCertPath,
    keyPath: grpcKeyPath,
    ...(grpcClientCaPath !== undefined && { clientCaPath: grpcClientCaPath }),
  };
}

/** Loaded if it is wanted: the client library is 10 MB. */
async function tokenReviewerOf(settings: AgentSettings): Promise<TokenReviewer | undefined> {
  const { apiHost: host, apiPort: port, tokenAudience } = settings;
  if (host === undefined) return undefined;
  const { connectApi } = await import("@svc/kubernetes");
  const { tokenReviewer } = await import("../registration/review-token.ts");
  return tokenReviewer(await connectApi({ kind: "pod", host, port }), tokenAudience);
}

function factsOf(facts: ReturnType<Registry["registrationOf"]>): RegistrationFacts | undefined {
  if (facts === undefined) return undefined;
  const { podUid, named, containerId, delivery, keyCount } = facts;
  return {
    ...(podUid !== undefined && { podUid }),
    ...(containerId !== undefined && { containerId }),
    ...(named.podName !== undefined && { podName: named.podName }),
    ...(named.podNamespace !== undefined && { namespace: named.podNamespace }),
    ...(named.container !== undefined && { container: named.container }),
    ...{ delivery, keyCount },
  };
}
