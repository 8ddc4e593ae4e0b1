import type { AgentLink } from "../agent/agent-link.ts";
import { runtime } from "../engine/runtime.ts";
import type { MeasuredProgram } from "../protection/measure-protection.ts";
import type { AgentFinding } from "../protection/protection-facts.ts";
import type { Program } from "./delivery.ts";
import { type LookAtChildren, lookAtChildren } from "./look-at-children.ts";
import { warnOfSighup } from "./warn-of-sighup.ts";
import type { World } from "./world.ts";

// Past the moment in which the program starts and wants the processor, and a library opens its region.
const DELAY_MS = 500;

/** Measures how well a program is protected once it has had its start, and gives back what all of that took. Couriers that
 * follow find their modules loaded. */
export function measureSoon(world: World, program: Program): void {
  let hasEnded = false;
  let children: LookAtChildren | undefined;
  const measure = async () => {
    // Not before: no program waits for it then.
    const { measureProtection } = await import("../protection/measure-protection.ts");
    const { ProtectionMeter } = await import("../protection/protection-meter.ts");
    // Its number may be another process's.
    if (hasEnded) return;
    const { status, log, agent, settings } = world;
    warnOfSighup(world, program.child.pid);
    if (program.delivery === "preload") children = lookAtChildren(world, program);
    const measured = measureProtection(factsOf(world, program));
    const now = () => ({
      agent: findAgent(agent, program.child.pid),
      unprotected: program.child.tracer.unprotected + (children?.count ?? 0),
    });
    status.protection = new ProtectionMeter(log, measured, now, status.protection);
    status.protection.say();
    if (settings.rotation.mode !== "none") await runtime.loadCouriers();
    runtime.giveMemoryBack();
  };
  const timer = setTimeout(() => void measure(), DELAY_MS);
  void program.child.ended.then(() => {
    hasEnded = true;
    clearTimeout(timer);
    children?.[Symbol.dispose]();
  });
}

function factsOf({ couriers, session, settings }: World, program: Program): MeasuredProgram {
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
      auth: settings.vault.auth,
    },
  };
}

function findAgent(agent: AgentLink | undefined, pid: number): AgentFinding {
  if (agent === undefined) return { kind: "not asked for" };
  const { state } = agent;
  if (state.kind !== "connected") return { kind: "away" };
  return { kind: "connected", tier: state.tier, registered: agent.isRegistered(pid) };
}
