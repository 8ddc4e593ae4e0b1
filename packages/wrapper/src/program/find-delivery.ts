import { architecture, executablePath, fileKind } from "@svc/kernel";
import type { Tracing } from "../tracer/start-tracing.ts";
import {
  chooseDelivery,
  type DeliveryChoice,
  type DeliveryRung,
  type ImpossibleDelivery,
} from "./choose-delivery.ts";
import { inspectProgram } from "./inspect-program.ts";
import type { LocatedProgram } from "./locate-program.ts";

/** e_machine of elf(5), by the runtime's name of the architecture. */
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

/** Where the interposer of `preload` is: beside the wrapper's own folder. */
export const interposerPath = executablePath().replace(/\/[^/]*\/[^/]*$/, "/lib/libsvc-preload.so");

/** Looks at a program and says how it gets its values. */
export function findDelivery(
  program: LocatedProgram,
  setting: "auto" | DeliveryRung,
  tracing: Tracing,
): DeliveryChoice | ImpossibleDelivery {
  return chooseDelivery({
    setting,
    program: inspectProgram(program.path, program.words),
    tracingImpossible: tracing.kind === "tracing" ? undefined : tracing.reason,
    preloadImpossible: interposerIsThere() ? undefined : `there is no ${interposerPath}`,
    machine: machines[architecture] ?? 0,
  });
}

function interposerIsThere(): boolean {
  return !["missing", "out of reach"].includes(fileKind(new TextEncoder().encode(interposerPath)));
}
