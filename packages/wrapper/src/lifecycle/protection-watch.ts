import type { AgentLink } from "../agent/agent-link.ts";
import { runtime } from "../engine/runtime.ts";
import type { MeasuredProtection } from "../health/wrapper-facts.ts";
import type { Observation } from "../life/life.ts";
import type { Logger } from "../log.ts";
import type { Couriers } from "../processes/couriers.ts";
import type { SessionHolder } from "../processes/session-holder.ts";
import { deliveryTraits } from "../program/delivery-traits.ts";
import type { MeasuredProgram } from "../protection/measure-protection.ts";
import type { AgentFinding } from "../protection/protection-facts.ts";
import type { ProtectionMeter } from "../protection/protection-meter.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";
import type { Program } from "./delivery.ts";
import { type LookAtChildren, lookAtChildren } from "./look-at-children.ts";
import { warnOfSighup } from "./warn-of-sighup.ts";

// Past the moment in which the program starts and wants the processor, and a library opens its
// region.
const DELAY_MS = 500;

export interface ProtectionPorts {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  readonly agent: AgentLink | undefined;
  readonly couriers: Pick<Couriers, "memoryKind">;
  readonly session: Pick<SessionHolder, "hasToken" | "memoryKind">;
  readonly observe: (observation: Observation) => void;
}

/** Measures how well the program is protected, and says how that changes. */
export class ProtectionWatch {
  readonly #ports: ProtectionPorts;
  #meter: ProtectionMeter | undefined;

  constructor(ports: ProtectionPorts) {
    this.#ports = ports;
  }

  /** Undefined before a program was measured. */
  get result(): MeasuredProtection | undefined {
    return this.#meter?.result;
  }

  /** Says the score, unless it is the one that was said last. */
  say(): void {
    this.#meter?.say();
  }

  /**
   * Measures a program once it has had its start, and gives back the memory that this took. Later
   * couriers find their modules loaded.
   */
  measure(program: Program): void {
    let hasEnded = false;
    let children: LookAtChildren | undefined;
    const measure = async () => {
      // Not before: no program waits for it then.
      const { measureProtection } = await import("../protection/measure-protection.ts");
      const { ProtectionMeter } = await import("../protection/protection-meter.ts");
      // Its number may be another process's.
      if (hasEnded) return;
      const { log, agent, settings } = this.#ports;
      warnOfSighup({ settings, log }, program.child.pid);
      if (deliveryTraits[program.delivery].isInterposed)
        children = lookAtChildren(this.#ports, program);
      const measured = measureProtection(factsOf(this.#ports, program));
      const now = () => ({
        agent: findAgent(agent, program.child.pid),
        unprotected: program.child.tracer.unprotected + (children?.count ?? 0),
      });
      this.#meter = new ProtectionMeter(log, measured, now, this.#meter);
      this.#meter.say();
      if (rotationOf(settings).way !== undefined) await runtime.loadCouriers();
      runtime.giveMemoryBack();
    };
    const timer = setTimeout(() => void measure(), DELAY_MS);
    void program.child.ended.then(() => {
      hasEnded = true;
      clearTimeout(timer);
      children?.[Symbol.dispose]();
    });
  }
}

function factsOf(
  { couriers, session, settings }: ProtectionPorts,
  program: Program,
): MeasuredProgram {
  const { child, delivery, secrets } = program;
  return {
    ...{ pid: child.pid, delivery },
    memory: couriers.memoryKind,
    variables: secrets.variables,
    courierLocked: secrets.memoryLocked,
    placed: child.tracer.placement !== undefined,
    token: {
      isHeld: session.hasToken,
      memory: session.memoryKind,
      auth: settings.vault?.auth,
    },
  };
}

function findAgent(agent: AgentLink | undefined, pid: number): AgentFinding {
  if (agent === undefined) return { kind: "not asked for" };
  const { state } = agent;
  if (state.kind !== "connected") return { kind: "away" };
  return { kind: "connected", tier: state.tier, registered: agent.isRegistered(pid) };
}
