import {
  closeDescriptor,
  forbidDumps,
  readAt,
  readDescriptor,
  setCloseOnExec,
  setIgnored,
  setParentDeathSignal,
  writeIfPossible,
} from "@svc/kernel";
import {
  type Brief,
  type CourierDescriptors,
  descriptorWordCount,
  readDescriptorWords,
} from "../brief.ts";
import { failureMessage } from "../courier-report.ts";
import { exitCodeOf, failuresOf } from "../errors.ts";
import { createLogger, writeToStandardError } from "../log.ts";
import { logFormatOf } from "../log-format.ts";
import { deliver } from "./deliver.ts";

const SIGKILL = 9;
const SIGPIPE = 13;

/**
 * A courier's whole life: it is briefed, fetches the secrets, and becomes the program. Where it
 * fails it reports why and exits; either way execve or exit scrubs its heap.
 */
export async function runCourier(words: readonly Uint8Array[]): Promise<void> {
  const texts = words.slice(0, descriptorWordCount).map((word) => new TextDecoder().decode(word));
  const descriptors = readDescriptorWords(texts);
  if (descriptors === undefined) process.exit(125);
  // Bun prints what nobody caught, with what it choked on.
  process.on("uncaughtException", (error) => reportAndExit(descriptors.report, error));
  process.on("unhandledRejection", (error) => reportAndExit(descriptors.report, error));
  try {
    enterProtection(descriptors);
    const brief = receiveBrief(descriptors);
    await deliver({
      brief,
      descriptors,
      programWords: words.slice(descriptorWordCount),
      log: createLogger({
        level: brief.settings.log.level,
        format: logFormatOf(brief.settings.log.format),
        component: "courier",
        write: writeToStandardError,
        now: () => new Date(),
      }),
    });
  } catch (error) {
    reportAndExit(descriptors.report, error);
  }
}

function reportAndExit(fd: number, error: unknown): never {
  const failures = failuresOf(error);
  writeIfPossible(fd, failureMessage(failures));
  return process.exit(exitCodeOf(failures));
}

function enterProtection(descriptors: CourierDescriptors): void {
  // Once dumps are forbidden the supervisor could no longer become the tracer.
  if (readDescriptor(descriptors.go, 1).kind !== "bytes") process.exit(125);
  for (const fd of Object.values(descriptors)) setCloseOnExec(fd, true);
  forbidDumps();
  // A courier without its supervisor would start a program that nobody looks after.
  setParentDeathSignal(SIGKILL);
  // A vault that hangs up is an error of the client's, not the end of the courier.
  setIgnored(SIGPIPE, true);
}

function receiveBrief({ brief, go }: CourierDescriptors): Brief {
  const message = readDescriptor(go, 4);
  // The supervisor is gone, or found its settings wrong: there is nothing to deliver.
  if (message.kind !== "bytes" || message.bytes.length < 4) process.exit(125);
  const length = new DataView(message.bytes.buffer).getUint32(0, true);
  const bytes = new Uint8Array(length);
  readAt(brief, bytes, 0);
  closeDescriptor(brief);
  closeDescriptor(go);
  // Written by this program's own supervisor from checked settings.
  return JSON.parse(new TextDecoder().decode(bytes)) as Brief;
}
