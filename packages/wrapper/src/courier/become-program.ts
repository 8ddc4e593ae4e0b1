import {
  cString,
  descriptorFacts,
  duplicateFrom,
  execProgram,
  resetReservedSignal,
  SyscallError,
  sendDescriptor,
  setCloseOnExec,
  setIgnored,
  stopSelf,
  stringVector,
} from "@svc/kernel";
import { type DeliveryPlan, writePlan } from "../delivery-plan.ts";
import { type Failure, failure, WrapperError } from "../errors.ts";
import { aboutChildren } from "../program/about-children.ts";
import { aboutEnviron, deliveryTraits, showsValues } from "../program/delivery-traits.ts";
import { followingTraits } from "../program/following-traits.ts";
import type { LocatedProgram } from "../program/locate-program.ts";
import { courierIgnores } from "./courier-ignores.ts";
import type { FilledRegion, ReadyDelivery } from "./delivery.ts";
import { programEnvironment } from "./program-environment.ts";

// Scripts use single digits, bash keeps its script at 255, and other shells a free one from 10 on.
const FIRST_HANDED_FD = 100;

/** Becomes the program by execve. Returns only by throwing. */
export function becomeProgram(delivery: ReadyDelivery): never {
  const ready = { ...delivery, region: placeDescriptor(delivery) };
  const { jobMessage, choice, region } = ready;
  const environment = programEnvironment(ready);
  const envp = stringVector(environment.entries);
  const argv = stringVector(ready.program.words.map(cString));
  sayChoice(ready);
  sayRemoved(ready, environment.removed);
  for (const { fd } of ready.passedFiles ?? []) setCloseOnExec(fd, false);
  for (const fd of jobMessage.inheritedFds) setCloseOnExec(fd, false);
  const hasRegion = ready.variables.length > 0;
  if (hasRegion && !showsValues(choice.delivery)) setCloseOnExec(region.fd, false);
  askTracer(ready, environment.firstSecret);
  const pass = sendListener(ready);
  restoreSignals(jobMessage.ignoredSignals);
  ready.say({
    kind: "becoming",
    delivery: choice.delivery,
    variables: ready.variables.length,
  });
  try {
    return execProgram(ready.program.path, argv, envp, pass);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new WrapperError([execFailure(error, ready.program)], error);
  }
}

/**
 * Sends the listener of the program's filter to the supervisor. Returns the argument with which the
 * filter lets this process's own execve through; undefined without a filter.
 */
function sendListener({ choice, descriptors, filter }: ReadyDelivery): number | undefined {
  if (!followingTraits[choice.follow].isAnnounced || filter?.kind !== "installed") return undefined;
  sendDescriptor(descriptors.listener, filter.listener);
  return filter.pass;
}

/** If the descriptor outlives the first program, it gets a number that no shell uses. */
function placeDescriptor({ choice, region }: ReadyDelivery): FilledRegion {
  const { isInterposed } = deliveryTraits[choice.delivery];
  if (!isInterposed && !followingTraits[choice.follow].staysTraced) return region;
  try {
    return { ...region, fd: duplicateFrom(region.fd, FIRST_HANDED_FD) };
  } catch {
    // RLIMIT_NOFILE is that low: the number that it has will do.
    return region;
  }
}

function sayChoice({ jobMessage, choice, variables, log }: ReadyDelivery): void {
  if (jobMessage.settings.onlyFiles) {
    log.info("deliver no variable: every secret is a file");
    return;
  }
  const unprotected = showsValues(choice.delivery);
  const warning = unprotected ? ": values are readable in /proc/PID/environ" : "";
  log[unprotected ? "warn" : "info"](`deliver by ${choice.delivery}${warning}: ${choice.reason}`, {
    delivery: choice.delivery,
    variables: variables.length,
    memory: jobMessage.memoryKind,
    children: aboutChildren(choice),
    environ: aboutEnviron(choice.delivery),
  });
}

/** Names only: a value may be a secret. */
function sayRemoved({ log }: ReadyDelivery, removed: readonly string[]): void {
  if (removed.length === 0) return;
  log.debug("the program does not get the wrapper's own variables; SVC_PASS_ENV passes them on", {
    removed: removed.join(" "),
  });
}

/**
 * Leaves the plan for the tracer, and waits until the tracer has released the process, if it must.
 */
function askTracer(ready: ReadyDelivery, firstSlot: number): void {
  if (ready.jobMessage.tracing.kind !== "tracing") return;
  const plan = planOf(ready, firstSlot);
  writePlan(ready.descriptors.plan, plan);
  if (plan.kind === "release") stopSelf();
}

function planOf(ready: ReadyDelivery, firstSlot: number): DeliveryPlan {
  const { jobMessage, choice, region, variables } = ready;
  if (choice.untraced) return { kind: "release" };
  if (!deliveryTraits[choice.delivery].isTraced) return { kind: "run" };
  const { fd, lengthBytes, offsets, slotBytes } = region;
  const slot = slotBytes === undefined ? {} : { slotBytes };
  return {
    kind: "inject",
    region: {
      fd,
      lengthBytes,
      kind: jobMessage.memoryKind,
      mustLock: jobMessage.settings.memory.requireMlock,
      inode: descriptorFacts(fd).inode,
      ...slot,
    },
    firstSlot,
    variables,
    offsets,
    follow: choice.follow,
  };
}

/** execve keeps ignored signals ignored and resets the rest; the courier itself ignored some. */
function restoreSignals(ignored: readonly number[]): void {
  resetReservedSignal();
  for (const signal of courierIgnores) setIgnored(signal, false);
  for (const signal of ignored) setIgnored(signal, true);
}

function execFailure(error: SyscallError, { path }: LocatedProgram): Failure {
  const message = `start ${JSON.stringify(new TextDecoder().decode(path))}: ${error.message}`;
  switch (error.code) {
    case "ENOENT":
      return failure("PROGRAM_NOT_FOUND", `${message}: the interpreter that it names is missing`);
    case "E2BIG":
      return failure("ENVIRONMENT_TOO_LARGE", message);
    default:
      return failure("PROGRAM_NOT_EXECUTABLE", message);
  }
}
