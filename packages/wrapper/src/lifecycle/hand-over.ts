import {
  adoptOrphans,
  duplicateFrom,
  mapSecretMemory,
  processId,
  type SecretMemory,
  SIGTERM,
  setBlockedSignals,
  setCloseOnExec,
  setParentDeathSignal,
} from "@svc/kernel";
import { plainValue, readRegion, regionOffsets } from "@svc/protocol";
import { sleep } from "@svc/vault";
import type { FilledRegion } from "../courier/delivery.ts";
import { runtime } from "../engine/runtime.ts";
import { failuresOf } from "../errors.ts";
import type { NoProgram } from "../life/life.ts";
import { lockLimitMessage } from "../lock-limit-message.ts";
import { startJob } from "../messages/courier-job.ts";
import type { Couriers, WorkingCourier } from "../processes/couriers.ts";
import { isHidden } from "../processes/hidden-variables.ts";
import type { SignalFront } from "../processes/signal-front.ts";
import type { CourierOrigin } from "../processes/start-courier.ts";
import { examineProgram } from "../program/find-delivery.ts";
import { locateProgram } from "../program/locate-program.ts";
import { noSupervisor } from "../program/tracing.ts";
import { type Delivery, type DeliveryPorts, type Fetched, followDelivery } from "./delivery.ts";
import type { StartOptions, StartPorts } from "./start-program.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface HandOverPorts extends StartPorts {
  readonly couriers: DeliveryPorts["couriers"] & Pick<Couriers, "origin">;
  readonly front: Pick<SignalFront, "stands" | "stopping">;
}

/**
 * Lets a courier fetch the secrets into a region, and becomes the program in its place: the program
 * has the wrapper's process number (SVC_SUPERVISE=never, docs/decisions/0117). The values are never
 * in the supervisor's heap.
 *
 * @returns only if there is no program
 */
export async function handOver(
  ports: HandOverPorts,
  { first, signal }: StartOptions,
): Promise<NoProgram> {
  const { couriers, front, settings } = ports;
  try {
    const working = first ?? (await couriers.deliver(startJob(settings)));
    const delivery = followDelivery(ports, working);
    signal.addEventListener("abort", delivery.abandon);
    if (signal.aborted) delivery.abandon();
    front.stands(delivery.child);
    const fetched = await withinDeadline(delivery.fetched, delivery, settings.startDeadlineMs);
    if (fetched.kind !== "fetched") {
      front.stands(undefined);
      return noProgram(fetched);
    }
    const memory = await takeRegion(ports, working, delivery);
    // Signals that came meanwhile are heard first.
    await sleep(0, signal);
    if (signal.aborted || front.stopping) return ended;
    return await becomeProgram(ports, memory, fetched);
  } catch (error) {
    return { kind: "failed", failures: failuresOf(error) };
  }
}

/** The wrapper was asked to end in between. */
const ended: NoProgram = {
  kind: "died",
  ending: { exitCode: 128 + SIGTERM, signal: SIGTERM },
};

function noProgram(outcome: Awaited<Delivery["outcome"]>): NoProgram {
  // The courier waits for a word that it never gets.
  if (outcome.kind === "running") throw new TypeError("the courier has become the program");
  return outcome;
}

/** Keeps the region beyond the courier's end, which this waits for. */
async function takeRegion(
  { front, couriers }: HandOverPorts,
  { region }: WorkingCourier,
  delivery: Delivery,
): Promise<SecretMemory> {
  const fd = duplicateFrom(region.fd, LEAST_FD);
  delivery.abandon();
  await delivery.outcome;
  front.stands(undefined);
  return { fd, kind: couriers.memoryKind };
}

/** Above the standard streams. */
const LEAST_FD = 3;

async function becomeProgram(
  { couriers, settings, log }: HandOverPorts,
  memory: SecretMemory,
  { variables, lengthBytes }: Fetched,
): Promise<never> {
  const { origin } = couriers;
  const { arrival, programWords } = origin;
  const environment = arrival.environment.filter((entry) => !isHidden(entry));
  const program = locateProgram(settings.program, programWords, environment);
  const { choice } = examineProgram(program, settings, noSupervisor)(undefined);
  if (choice.delivery === "impossible") throw new TypeError(choice.reason);
  const region = mapRegion(memory, lengthBytes, (message) => {
    log.warn(`degraded: secrets may be written to swap: ${message}`);
  });
  const courier = await import("../courier/become-program.ts");
  restoreSurroundings(origin, settings.parentPid !== undefined);
  return courier.becomeProgram({
    ...{ log, environment, program, region, choice, variables },
    filter: undefined,
    say: () => undefined,
    descriptors: { plan: -1, listener: -1 },
    jobMessage: {
      ...{ settings, memoryKind: memory.kind, tracing: noSupervisor },
      ignoredSignals: arrival.ignoredSignals,
      inheritedFds: arrival.inheritedFds,
      supervisorPid: processId(),
    },
  });
}

/** Maps the values that a courier has written. Its lock on the pages has ended with it. */
function mapRegion(
  memory: SecretMemory,
  lengthBytes: number,
  warn: (message: string) => void,
): FilledRegion {
  const mapping = mapSecretMemory(memory, lengthBytes, {
    onUnlocked: (error, length) => warn(lockLimitMessage("lock secrets", error, length)),
  });
  const entries = readRegion(mapping.bytes);
  const offsets = regionOffsets(
    entries.map(({ key, value }) => ({ key, value: plainValue(value) })),
  );
  const addresses = offsets.map((offset) => mapping.address + offset);
  return { fd: memory.fd, addresses, offsets, lengthBytes };
}

/** The program finds all as the wrapper has found it; execve(2) keeps these. */
function restoreSurroundings({ arrival }: CourierOrigin, endsWithParent: boolean): void {
  for (const fd of runtime.openDescriptors()) setCloseOnExec(fd, true);
  adoptOrphans(false);
  if (endsWithParent) setParentDeathSignal(SIGTERM);
  setBlockedSignals(arrival.blockedSignals);
}
