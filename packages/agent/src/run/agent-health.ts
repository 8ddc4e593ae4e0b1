import type { LineQueue } from "@svc/logging";
import { version } from "@svc/protocol";
import type { AgentFacts } from "../health/agent-facts.ts";
import type { AgentReadiness } from "../health/status-page.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { EventPump } from "./event-pump.ts";
import type { KeptPolicies } from "./keep-policies.ts";
import { dropsOf } from "./open-monitor.ts";
import type { Platform } from "./open-platform.ts";
import type { Registrations } from "./open-registrations.ts";
import type { Reporter } from "./reporter.ts";
import type { WatchedNode } from "./watched-node.ts";

/** The parts of a running agent that have facts. */
export interface AgentInside {
  readonly settings: Pick<AgentSettings, "enforce" | "dryRun">;
  readonly node: WatchedNode;
  readonly monitor: Monitor | Blindness;
  readonly pump: EventPump | undefined;
  readonly reporter: Reporter;
  readonly events: LineQueue;
  readonly platform: Platform | undefined;
  readonly registrations: Registrations;
  readonly policies: KeptPolicies | undefined;
}

/** Reads the facts of this moment, for the pages of the health server. */
export function agentFacts(inside: AgentInside): AgentFacts {
  const { settings, node, monitor, pump, reporter, registrations } = inside;
  const { platform, policies } = inside;
  return {
    ...{ version, node: node.name, bootId: node.bootId, surroundings: node.surroundings },
    capabilities: monitor.capabilities,
    enforcementWanted: settings.enforce && !settings.dryRun,
    guardsOpenMs: isBlind(monitor) ? 0 : monitor.state.openFor(),
    drops: dropsOf(monitor),
    pump: pump?.counts() ?? { read: { violations: 0, everything: 0 }, unreadable: 0 },
    events: reporter.counts(),
    programs: isBlind(monitor) ? new Map() : monitor.runs(),
    linesDropped: inside.events.dropped(),
    ...(platform && { platform: platform.facts() }),
    registrations: registrations.counts(),
    versions: registrations.versions(),
    swap: registrations.swap(),
    tokenFiles: registrations.tokenFiles(),
    ...(policies && { policies: policies.facts() }),
  };
}

interface Life {
  readonly signal: AbortSignal;
  readonly isCalled: boolean;
  /** Sockets by which wrappers do not reach the agent. */
  readonly lost: readonly string[];
}

/** Whether the agent fulfils its purpose at this moment. */
export function readinessOf(
  monitor: Monitor | Blindness,
  { signal, isCalled, lost }: Life,
): AgentReadiness {
  if (signal.aborted) return { status: "stopping", reason: "the agent was asked to end" };
  if (isBlind(monitor)) {
    return { status: "blind", reason: monitor.reason, hint: monitor.hint };
  }
  if (!isCalled)
    return { status: "blind", reason: "the kernel does not call the programs any more" };
  if (lost.length > 0) {
    const reason = `wrappers do not reach the agent: ${lost.join(", ")} is not its socket any more`;
    return { status: "unreachable", reason };
  }
  return { status: "ready", tier: monitor.capabilities.tier };
}
