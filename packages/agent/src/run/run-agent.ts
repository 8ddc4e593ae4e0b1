import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { ReadableWait } from "@svc/kernel";
import { aborted, type LineQueue, type Log } from "@svc/logging";
import { version } from "@svc/protocol";
import { AgentError } from "../agent-error.ts";
import type { AgentFacts } from "../health/agent-facts.ts";
import { serveHealth } from "../health/health-server.ts";
import type { AgentReadiness } from "../health/status-page.ts";
import { HEARTBEAT_MS } from "../monitor/agent-state.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import { readSurroundings } from "../monitor/surroundings.ts";
import { PolicyNames } from "../policies/policy-names.ts";
import { isAnswered } from "../registration/is-answered.ts";
import { lockRegistry } from "../registration/lock-registry.ts";
import { machineOf } from "../runtimes/find-runtimes.ts";
import { visibleMachine } from "../runtimes/visible-machine.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { keepRuntimes } from "./container-runtimes.ts";
import { EventPump } from "./event-pump.ts";
import { HookWatch } from "./hook-watch.ts";
import { type KeptPolicies, keepPolicies } from "./keep-policies.ts";
import { logCapabilities } from "./log-capabilities.ts";
import { sweepMemory } from "./memory-sweep.ts";
import { openBreakGlass } from "./open-break-glass.ts";
import { openDriver } from "./open-driver.ts";
import { dropsOf, openMonitor } from "./open-monitor.ts";
import { openPlatform, type Platform } from "./open-platform.ts";
import { openRegistrations, type Registrations } from "./open-registrations.ts";
import { type OpenSockets, openSockets } from "./open-sockets.ts";
import { pumpEvents } from "./pump-events.ts";
import { Reporter } from "./reporter.ts";

/** The inputs of the agent. */
export interface AgentParts {
  readonly log: Log;
  /** Standard output: events. */
  readonly events: LineQueue;
  /** Ends it. */
  readonly signal: AbortSignal;
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
  const { log, events, signal } = parts;
  await refuseSecond(settings);
  const surroundings = readSurroundings();
  const visible = visibleMachine(surroundings);
  const machine = visible ?? machineOf(surroundings);
  const sockets = await openSockets(settings, log);
  const monitor = orClose(sockets, () => openMonitor(settings, surroundings, machine));
  logCapabilities(log, { capabilities: monitor.capabilities, surroundings }, settings);
  const node = settings.nodeName ?? hostname();
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const platform = platformOf(settings, node, log);
  const names = new PolicyNames();
  let registry: Registrations | undefined;
  const reporter = new Reporter({
    ...{ node, bootId, machineRoot: visible?.root },
    registrationOf: (registration) => registry?.registrationOf(registration),
    policyOf: names.nameOf,
    drops: () => dropsOf(monitor),
    print: events.put,
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
  const pump = isBlind(monitor) ? undefined : new EventPump(monitor);
  using rings = isBlind(monitor)
    ? undefined
    : new ReadableWait([monitor.violations.fd, monitor.everything.fd]);
  let policies: KeptPolicies | undefined;
  const hooks = new HookWatch({ monitor, reporter, log });
  const health = serveHealth({
    ...settings.healthListen,
    readiness: () => readinessOf(monitor, { signal, isCalled: hooks.areCalled() }),
    facts: (): AgentFacts => ({
      ...{ version, node, bootId, surroundings },
      capabilities: monitor.capabilities,
      enforcementWanted: settings.enforce && !settings.dryRun,
      guardsOpenMs: isBlind(monitor) ? 0 : monitor.state.openFor(),
      drops: dropsOf(monitor),
      pump: pump?.counts() ?? { read: { violations: 0, everything: 0 }, unreadable: 0 },
      events: reporter.counts(),
      programs: isBlind(monitor) ? new Map() : monitor.runs(),
      linesDropped: events.dropped(),
      ...(platform && { platform: platform.facts() }),
      registrations: registrations.counts(),
      swap: registrations.swap(),
      tokenFiles: registrations.tokenFiles(),
      ...(policies && { policies: policies.facts() }),
    }),
  });
  const stopDriver = await openDriver({ settings, node, reporter, log });
  const stopBreakGlass = await openBreakGlass({ settings, monitor, reporter, log });
  const stopHeart = keepBeating(monitor);
  log("info", "health, status and metrics are served", { port: health.port });
  reporter.reportOwn("agent_started", { version, ...monitor.capabilities, surroundings });
  if (!isBlind(monitor)) {
    keepRuntimes({ settings, machine, monitor, log, signal });
    const parts = { settings, node, monitor, names, reporter, log };
    policies = await keepPolicies({ ...parts, machine: visible });
  }
  const resting = isBlind(monitor) ? [] : [monitor.violations, monitor.everything];
  sweepMemory(() => pump?.counts().read.violations ?? 0, resting);
  const untilReadable = () => (rings ? rings.untilReadable(signal) : aborted(signal));
  await (pump ? pumpEvents(pump, reporter, { signal, untilReadable }) : aborted(signal));
  log("info", "it ends", {});
  stopHeart();
  hooks.stop();
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

interface Life {
  readonly signal: AbortSignal;
  readonly isCalled: boolean;
}

function readinessOf(monitor: Monitor | Blindness, { signal, isCalled }: Life): AgentReadiness {
  if (signal.aborted) return { status: "stopping", reason: "the agent was asked to end" };
  if (isBlind(monitor)) return { status: "blind", reason: monitor.reason };
  if (!isCalled)
    return { status: "blind", reason: "the kernel does not call the programs any more" };
  return { status: "ready", tier: monitor.capabilities.tier };
}
