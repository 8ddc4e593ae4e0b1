import { closeDescriptor, type SecretMemory } from "@svc/kernel";
import type { DeliveryMethod } from "@svc/settings";
import type { AgentLink } from "../agent/agent-link.ts";
import type { NoProgram, Observation, StartedProgram } from "../life/life.ts";
import type { Logger } from "../log.ts";
import type { CourierMessage, FetchedSecrets } from "../messages/courier-message.ts";
import type { Children } from "../processes/children.ts";
import type { Couriers, WorkingCourier } from "../processes/couriers.ts";
import { MainChild } from "../processes/main-child.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";
import { environmentWitness } from "./environment-witness.ts";

/** How a delivery came out. */
export type DeliveryOutcome = { readonly kind: "running"; readonly program: Program } | NoProgram;

/** The program, and its start parameters. */
export interface Program extends StartedProgram {
  readonly child: MainChild;
  /**
   * The source of the program's values; open until the program's end if it can receive new ones.
   */
  readonly region: SecretMemory;
}

export interface DeliveryPorts {
  readonly settings: Pick<WrapperSettings, "stopGraceMs" | "stopSignal" | "rotation">;
  readonly children: Children;
  readonly couriers: Pick<Couriers, "deliver" | "memoryKind">;
  readonly agent: AgentLink | undefined;
  readonly log: Logger;
  readonly observe: (observation: Observation) => void;
}

/** The values are in the region. */
export type Fetched = Extract<CourierMessage, { readonly kind: "fetched" }>;

/** A courier on its way to being the program. */
export interface Delivery {
  readonly child: MainChild;
  /** Resolves when everything is fetched, or with the outcome if it came to nothing. */
  readonly fetched: Promise<Fetched | DeliveryOutcome>;
  readonly outcome: Promise<DeliveryOutcome>;
  /** Lets a courier that waits become the program. */
  readonly go: () => void;
  /** Ends it. */
  readonly abandon: () => void;
}

/** Follows a courier until it is the program, or has failed. */
export function followDelivery(ports: DeliveryPorts, working: WorkingCourier): Delivery {
  const { settings, children, log, agent, observe } = ports;
  const { courier } = working;
  const { stopGraceMs, stopSignal } = settings;
  const { onProgram, onStarted } = environmentWitness(agent, courier.pid);
  const child = new MainChild(courier, {
    ...{ children, stopGraceMs, stopSignal, log, onProgram },
    onUnprotected: () => observe({ kind: "unprotected program" }),
  });
  // The courier needs it, too. So the program is registered before its first instruction.
  agent?.protect(child.pid, child.ended);
  const fetched = Promise.withResolvers<Fetched>();
  const outcome = outcomeOf(ports, working, child, fetched.resolve)
    .then((found) => {
      if (found.kind === "running") onStarted();
      return found;
    })
    .finally(() => courier.dispose());
  // The program has the region mapped, or inherited: later uses of the supervisor's descriptor are
  // new values, and programs that the program starts.
  const keepsRegion = rotationOf(settings).refreshes;
  void (keepsRegion ? child.ended : outcome)
    .then(() => child.tracer.closed)
    .finally(() => closeDescriptor(working.region.fd));
  return {
    child,
    fetched: Promise.race([fetched.promise, outcome]),
    outcome,
    go: courier.go,
    abandon: courier.abandon,
  };
}

async function outcomeOf(
  ports: DeliveryPorts,
  { messages, region }: WorkingCourier,
  child: MainChild,
  onFetched: (message: Fetched) => void,
): Promise<DeliveryOutcome> {
  let secrets: FetchedSecrets | undefined;
  let fetchedAtMs = 0;
  let last: DeliveryOutcome | undefined;
  for await (const message of messages) {
    switch (message.kind) {
      case "fetched":
        secrets = message;
        fetchedAtMs = performance.now();
        if (message.loggedIn) ports.observe({ kind: "login" });
        onFetched(message);
        break;
      case "retrying":
        ports.observe({ kind: "delay", failure: message.failure });
        break;
      case "becoming":
        describeProgram(ports, child.pid, { secrets, delivery: message.delivery });
        last =
          secrets && running({ child, secrets, delivery: message.delivery, region, fetchedAtMs });
        break;
      case "unchanged":
        last = { kind: "unchanged", state: message };
        break;
      case "failed":
        last = { kind: "failed", failures: message.failures };
        break;
    }
  }
  if (last === undefined) return { kind: "died", ending: await child.ended };
  // Steps that delay the program come before all others.
  if (last.kind === "running") await Promise.race([child.tracer.prepared, child.ended]);
  else await child.ended;
  return child.tracer.failure === undefined
    ? last
    : { kind: "failed", failures: [child.tracer.failure] };
}

interface KnownProgram {
  readonly secrets: FetchedSecrets | undefined;
  readonly delivery: DeliveryMethod;
}

function describeProgram(
  { agent, couriers }: DeliveryPorts,
  pid: number,
  known: KnownProgram,
): void {
  agent?.describe(pid, {
    keyCount: known.secrets?.variables.length ?? 0,
    delivery: known.delivery,
    memfdSecret: couriers.memoryKind === "memfd_secret",
    memoryLocked: known.secrets?.memoryLocked === true,
  });
}

function running(program: Omit<Program, "startedAtMs">): DeliveryOutcome {
  return { kind: "running", program: { ...program, startedAtMs: performance.now() } };
}
