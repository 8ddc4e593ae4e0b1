import {
  type Problem,
  parseStopSignal,
  problem,
  type RotationMode,
  signalName,
} from "@svc/settings";
import { annotationTable } from "../annotations/annotation-table.ts";
import type { Container } from "../pod/pod.ts";
import type { ImageAnswer } from "./find-program.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { setsVariable } from "./own-variables.ts";

/** signal(7) */
const SIGHUP = 1;
/** The wrapper's default. */
const SIGTERM = 15;

/** The stop signal of a container, for SVC_STOP_SIGNAL. */
export interface StopSignal {
  /** Undefined if the wrapper's default fits. */
  readonly name?: string;
  /** Why the container's own signal is not taken. */
  readonly warning?: string;
}

/**
 * The signal that the container's runtime sends to end it: `lifecycle.stopSignal` (Kubernetes 1.33)
 * or the image's StopSignal (OCI image-spec, config.md). The image is known only if the operator
 * asked for it: for containers without a command.
 */
export function stopSignalOf(
  { name, lifecycle }: Container,
  image: ImageAnswer | undefined,
  rotation: RotationMode,
): StopSignal {
  const ofPod = lifecycle?.stopSignal ?? "";
  const ofImage = image?.kind === "found" ? (image.config.stopSignal ?? "") : "";
  const text = ofPod === "" ? ofImage : ofPod;
  if (text === "") return {};
  const parsed = parseStopSignal(text);
  const without = `container ${name}: its stop signal is not taken for SVC_STOP_SIGNAL`;
  if (!parsed.ok) return { warning: `${without}: it does not ask a program to end` };
  if (parsed.value === SIGTERM) return {};
  if (parsed.value === SIGHUP && rotation === "sighup") {
    return { warning: `${without}: SIGHUP announces new values there` };
  }
  return { name: signalName(parsed.value) };
}

/** Refuses SIGHUP for the end and for new values. The wrapper would refuse it at its start. */
export function clashingStopSignal(
  container: Container,
  { values, texts, operator }: InjectionSettings,
): readonly Problem[] {
  const isOwn = setsVariable(container, "SVC_STOP_SIGNAL", "SVC_ROTATION");
  const clashes = values.stopSignal === SIGHUP && values.rotation === "sighup";
  if (isOwn || !clashes || !texts.has("stopSignal")) return [];
  const variable = `${operator.prefix}/${annotationTable.stopSignal.name}`;
  const wanted = "another signal than SIGHUP if the rotation is sighup";
  return [problem({ variable, wanted, found: "it is SIGHUP" })];
}
