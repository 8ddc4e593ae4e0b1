import type { LineQueue, Log } from "@svc/logging";
import { version } from "@svc/protocol";
import { AgentError } from "../agent-error.ts";
import { serveHealth } from "../health/health-server.ts";
import { HEARTBEAT_MS } from "../monitor/agent-state.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import { PolicyNames } from "../policies/policy-names.ts";
import { isAnswered } from "../registration/is-answered.ts";
import { lockRegistry } from "../registration/lock-registry.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { agentFacts, readinessOf } from "./agent-health.ts";
import { keepRuntimes } from "./container-runtimes.ts";
import { EventPump } from "./event-pump.ts";
import { HookWatch } from "./hook-watch.ts";
import { type KeptPolicies, keepPolicies } from "./keep-policies.ts";
import { logCapabilities } from "./log-capabilities.ts";
import { openBreakGlass } from "./open-break-glass.ts";
import { openDriver } from "./open-driver.ts";
import { dropsOf, type OpenMonitor } from "./open-monitor.ts";
import { openPlatform, type Platform } from "./open-platform.ts";
import { openRegistrations, type Registrations } from "./open-registrations.ts";
import { type OpenSockets, openSockets } from "./open-sockets.ts";
import { readEvents } from "./read-events.ts";
import { Reporter } from "./reporter.ts";
import { SocketWatch } from "./socket-watch.ts";
import { type WatchedNode, watchedNode } from "./watched-node.ts";

/** The inputs of the agent. */
export interface AgentParts {
  readonly log: Log;
  /** Standard output: events. */
  readonly events: LineQueue;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Loads the kernel side: `openMonitor`. */
  readonly openMonitor: OpenMonitor;
}

/** How long events that wait may still be sent when the agent ends. */
const LAST_SENDING_MS = 2000;

/**
 * Runs the agent until its signal is aborted: loads the kernel side, takes registrations, reports
 * the kernel side's events, and answers for its health.
 *
 * @throws AgentError if a setting cannot be followed
 */
export async function runAgent(settings: AgentSettings, parts: AgentParts): Promise<void> {
  const { log, events, signal, openMonitor } = parts;
  await refuseSecond(settings);
  const node = watchedNode(settings);
  const { surroundings, machine } = node;
  const sockets = await openSockets(settings, log);
  const monitor = orClose(sockets, () => openMonitor(settings, { surroundings, machine, log }));
  logCapabilities(log, { ...monitorFacts(monitor), surroundings }, settings);
  const platform = platformOf(settings, node.name, log);
  const names = new PolicyNames();
  const { reporter, registrations } = await openReporting({
    ...{ settings, node, monitor, sockets, platform, names, log },
    print: events.put,
  });
  const pump = isBlind(monitor) ? undefined : new EventPump(monitor);
  const hooks = new HookWatch({ monitor, reporter, log });
  const doors = new SocketWatch({ sockets: sockets.listeners, reporter, log });
  const inside = { settings, node, monitor, pump, reporter, events, platform, registrations };
  let policies: KeptPolicies | undefined;
  const health = serveHealth({
    ...settings.healthListen,
    readiness: () =>
      readinessOf(monitor, { signal, isCalled: hooks.areCalled(), lost: doors.lost() }),
    facts: () => agentFacts({ ...inside, policies }),
  });
  const stopDriver = await openDriver({ settings, node: node.name, reporter, log });
  const stopBreakGlass = await openBreakGlass({ settings, monitor, reporter, log });
  const stopHeart = keepBeating(monitor);
  log("info", "health, status and metrics are served", { port: health.port });
  reporter.reportOwn("agent_started", { version, ...monitor.capabilities, surroundings });
  if (!isBlind(monitor)) {
    keepRuntimes({ settings, machine, monitor, log, signal });
    const ofNode = { node: node.name, machine: node.visible };
    policies = await keepPolicies({ settings, ...ofNode, monitor, names, reporter, log });
  }
  await readEvents({ monitor, pump, reporter, signal });
  log("info", "it ends", {});
  stopHeart();
  hooks.stop();
  doors.stop();
  stopBreakGlass();
  await policies?.stop();
  await stopDriver();
  await registrations.stop();
  reporter.reportOwn("agent_stopped", { version });
  await platform?.close(LAST_SENDING_MS);
  await health.stop();
  if (!isBlind(monitor)) monitor[Symbol.dispose]();
  await events.flushed();
}

/**
 * Before the kernel side is asked for anything: that of another agent might kill this one for it.
 */
async function refuseSecond({ socketPath, registryPath }: AgentSettings): Promise<void> {
  if (await isAnswered(socketPath)) {
    const text = `take registrations at ${JSON.stringify(socketPath)}: another agent listens there`;
    throw new AgentError("AGENT_RUNNING", text);
  }
  lockRegistry(registryPath);
}

function orClose<T>(sockets: OpenSockets, begin: () => T): T {
  try {
    return begin();
  } catch (error) {
    sockets.close();
    throw error;
  }
}

function monitorFacts(monitor: Monitor | Blindness) {
  const { capabilities } = monitor;
  if (!isBlind(monitor)) return { capabilities };
  return { capabilities, cause: { reason: monitor.reason, hint: monitor.hint } };
}

interface Reporting {
  readonly settings: AgentSettings;
  readonly node: WatchedNode;
  readonly monitor: Monitor | Blindness;
  readonly sockets: OpenSockets;
  readonly platform: Platform | undefined;
  readonly names: PolicyNames;
  readonly print: (line: string) => void;
  readonly log: Log;
}

/** Records name the registrations, and registrations report processes that were traced already. */
async function openReporting({ node, platform, names, print, ...parts }: Reporting) {
  const { settings, monitor, sockets, log } = parts;
  const { name, bootId, visible } = node;
  let registry: Registrations | undefined;
  const reporter = new Reporter({
    ...{ node: name, bootId, machineRoot: visible?.root, print },
    registrationOf: (registration) => registry?.registrationOf(registration),
    policyOf: names.nameOf,
    drops: () => dropsOf(monitor),
    keep: (contents) => platform?.keep(contents),
  });
  const registrations = await openRegistrations({
    ...{ settings, monitor, sockets: sockets.listeners, bootId, log },
    onTraced: ({ pid, registration, tracer }, decision) =>
      reporter.reportOwn("agent_found_tracer", {
        decision,
        actor: tracer,
        target: { pid, registration: { id: String(registration) } },
      }),
  });
  registry = registrations;
  return { reporter, registrations };
}

/**
 * It beats first when everything is served: one that fails at its start, again and again, must not
 * keep guards closed that open by themselves.
 */
function keepBeating(monitor: Monitor | Blindness): () => void {
  if (isBlind(monitor)) return () => undefined;
  monitor.state.beat();
  const heart = setInterval(monitor.state.beat, HEARTBEAT_MS);
  return () => clearInterval(heart);
}

function platformOf(settings: AgentSettings, node: string, log: Log): Platform | undefined {
  const { endpoint } = settings;
  return endpoint && openPlatform({ settings: { ...settings, endpoint }, node, log });
}
