import type { EnvironmentEntry } from "@svc/kernel";
import { processId } from "@svc/kernel";
import { AgentLink } from "../agent/agent-link.ts";
import { agentTarget } from "../agent/agent-target.ts";
import { HealthPort } from "../lifecycle/health-port.ts";
import { Leftovers } from "../lifecycle/leftovers.ts";
import { Status } from "../lifecycle/status.ts";
import { tellSystemd } from "../lifecycle/tell-systemd.ts";
import { runLifecycle } from "../lifecycle.ts";
import type { Logger } from "../log.ts";
import type { SignalSource } from "../runtime.ts";
import type { WrapperSettings } from "../settings.ts";
import { Children } from "./children.ts";
import type { Couriers, WorkingCourier } from "./couriers.ts";
import { exitWith } from "./exit-with.ts";
import { createNotifier, notifyEnvironment } from "./notify-systemd.ts";
import type { SessionHolder } from "./session-holder.ts";
import { SignalFront } from "./signal-front.ts";

/** What there is before the life of the wrapper begins. */
export interface LifecycleStart {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  readonly couriers: Couriers;
  readonly session: SessionHolder;
  readonly signals: SignalSource;
  readonly environment: readonly EnvironmentEntry[];
  /** The courier that is under way; undefined in sealed mode. */
  readonly first: WorkingCourier | undefined;
}

/** Puts the parts together, begins, and lets signals through. */
export function startLifecycle(start: LifecycleStart): void {
  const { settings, log, couriers, session, signals, environment, first } = start;
  const notifier = createNotifier(notifyEnvironment(environment), { pid: processId(), log });
  const status = new Status({
    checks: settings.rotation.mode !== "none",
    staleAfterMs: settings.rotation.staleAfterMs,
    onEnter: tellSystemd(notifier),
  });
  status.token = () => session.token;
  const children = new Children();
  const front = new SignalFront(signals, log);
  const health = new HealthPort(settings.health, status, log);
  const agent = linkAgent(settings, status, log);
  const leftovers = new Leftovers(children, log, first === undefined ? [] : [first.courier.pid]);
  const world = {
    ...{ settings, log, children, couriers, session },
    ...{ front, leftovers, health, status, agent },
  };
  const failure = health.openFirst();
  if (failure !== undefined) {
    first?.courier.abandon();
    exitWith([failure], log, settings.terminationLogPath);
  }
  void runLifecycle(world, first);
  front.start(() => children.reap());
}

/** The connection takes its time beside the courier, which fetches the secrets. */
function linkAgent(
  { agent: settings }: WrapperSettings,
  status: Status,
  log: Logger,
): AgentLink | undefined {
  const target = agentTarget(settings);
  if (target === undefined) return undefined;
  return new AgentLink({ target, settings, log, onState: (state) => status.noteAgent(state) });
}
