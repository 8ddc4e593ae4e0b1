import {
  closeDescriptor,
  type EnvironmentEntry,
  exitProcess,
  forbidDumps,
  onUncaught,
  parentPid,
  readAt,
  readDescriptor,
  receiveMessage,
  SIGKILL,
  setIgnored,
  setParentDeathSignal,
  setProcessName,
  writeIfPossible,
} from "@svc/kernel";
import { VaultError } from "@svc/vault";
import { exitCodeOf, failuresOf } from "../errors.ts";
import { createLogger, writeToStandardError } from "../log.ts";
import { logFormatOf } from "../log-format.ts";
import { messageBytes } from "../messages/courier-message.ts";
import {
  type CourierDescriptors,
  courierName,
  descriptorWordCount,
  type JobMessage,
  readDescriptorWords,
} from "../messages/job-message.ts";
import { askAgentForToken } from "./agent-token.ts";
import type { CourierContext } from "./courier-context.ts";
import { courierIgnores } from "./courier-ignores.ts";
import { deliver } from "./deliver.ts";
import { reportLackOfMemory } from "./engine/memory-report.ts";
import { secretLock } from "./engine/secret-lock.ts";
import { vaultFailure } from "./vault-failure.ts";

/**
 * A courier's whole life: it receives a job, does it, and becomes the program or exits. Either way
 * execve or exit scrubs its heap. If it fails it reports why.
 */
export async function runCourier(
  words: readonly Uint8Array[],
  environment: readonly EnvironmentEntry[],
): Promise<void> {
  const texts = words.slice(0, descriptorWordCount).map((word) => new TextDecoder().decode(word));
  const descriptors = readDescriptorWords(texts);
  if (descriptors === undefined) exitProcess(125);
  onUncaught((error) => reportAndExit(descriptors.report, error));
  reportLackOfMemory(descriptors.report);
  try {
    enterProtection(descriptors);
    const { jobMessage, login } = receiveJob(descriptors);
    // It died before its death could be a signal: no supervisor would look after the program.
    if (parentPid() !== jobMessage.supervisorPid) exitProcess(125);
    const context: CourierContext = {
      jobMessage,
      descriptors,
      log: createLogger({
        level: jobMessage.settings.log.level,
        format: logFormatOf(jobMessage.settings.log.format),
        component: "courier",
        write: writeToStandardError,
        now: () => new Date(),
      }),
      agentToken: once(() => askAgentForToken(jobMessage.agentConnection, login)),
      say: (message) => writeIfPossible(descriptors.report, messageBytes(message)),
    };
    await work(context, words.slice(descriptorWordCount), environment);
    exitProcess(0);
  } catch (error) {
    reportAndExit(descriptors.report, error);
  }
}

/** Only a delivery is urgent. The code of other jobs is loaded when they come. */
async function work(
  context: CourierContext,
  programWords: readonly Uint8Array[],
  environment: readonly EnvironmentEntry[],
): Promise<void> {
  const { job } = context.jobMessage;
  secretLock.begin(context);
  switch (job.kind) {
    case "deliver":
      return deliver({ ...context, programWords, environment }, job);
    case "check": {
      const { check } = await import("./check.ts");
      return check(context, job);
    }
    case "refresh": {
      const { refresh } = await import("./refresh.ts");
      return refresh(context, job);
    }
    case "unseal": {
      const { unseal } = await import("./unseal.ts");
      return unseal(context);
    }
    case "permit": {
      const { askPermit } = await import("./ask-permit.ts");
      return askPermit(context, job);
    }
    case "subscribe": {
      const { subscribe } = await import("./subscribe.ts");
      return subscribe(context, job);
    }
    case "revoke": {
      const { revoke } = await import("./revoke.ts");
      return revoke(context);
    }
  }
}

function reportAndExit(fd: number, error: unknown): never {
  const failures = error instanceof VaultError ? [vaultFailure(error)] : failuresOf(error);
  writeIfPossible(fd, messageBytes({ kind: "failed", failures }));
  return exitProcess(exitCodeOf(failures));
}

function enterProtection(descriptors: CourierDescriptors): void {
  // Once dumps are forbidden the supervisor could no longer become the tracer.
  if (readDescriptor(descriptors.go, 1).kind !== "bytes") exitProcess(125);
  setProcessName(courierName);
  forbidDumps();
  // Neither a courier nor the program that it becomes goes on without its supervisor.
  setParentDeathSignal(SIGKILL);
  for (const signal of courierIgnores) setIgnored(signal, true);
}

/** The supervisor's message: the job, and the connection to the agent for a login by that. */
interface Received {
  readonly jobMessage: JobMessage;
  readonly login: number | undefined;
}

function receiveJob({ job, go }: CourierDescriptors): Received {
  const message = receiveMessage(go, 4);
  // The supervisor is gone, or found its settings wrong: there is nothing to deliver.
  if (message === undefined || message.bytes.length < 4) exitProcess(125);
  const length = new DataView(message.bytes.buffer).getUint32(0, true);
  const bytes = new Uint8Array(length);
  readAt(job, bytes, 0);
  closeDescriptor(job);
  // Written by this program's own supervisor from checked settings.
  return {
    jobMessage: JSON.parse(new TextDecoder().decode(bytes)) as JobMessage,
    login: message.fd,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
