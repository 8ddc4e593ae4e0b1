import { architecture, executablePath, fileKind } from "@svc/kernel";
import type { DeliveryMethod, Following } from "@svc/settings";
import { chooseDelivery, type DeliveryChoice, type ImpossibleDelivery } from "./choose-delivery.ts";
import { inspectProgram } from "./inspect-program.ts";
import { type ExecFilter, installExecFilter } from "./install-exec-filter.ts";
import type { LocatedProgram } from "./locate-program.ts";
import type { Tracing } from "./tracing.ts";

/** e_machine of elf(5), by the runtime's name of the architecture. */
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

/** The path of the interposer of `preload`: beside the wrapper's own folder. */
export function interposerPath(): string {
  return executablePath().replace(/\/[^/]*\/[^/]*$/, "/lib/libsvc-preload.so");
}

/** The settings' request. */
export interface WantedDelivery {
  readonly delivery: "auto" | DeliveryMethod;
  readonly follow: "auto" | Following;
  readonly onlyFiles?: boolean;
}

/** How a program gets its values, and the filter that this process has for it now. */
export interface FoundDelivery {
  readonly choice: DeliveryChoice | ImpossibleDelivery;
  readonly filter: ExecFilter | undefined;
}

/**
 * Chooses the delivery method of an examined program. If its execves are announced, it puts the
 * filter for that on this process, for good.
 *
 * @param largeValues why execve(2) refuses the values to programs that the program starts
 */
export type FindDelivery = (largeValues: string | undefined) => FoundDelivery;

/** Examines a program. The choice is made apart from that, when the values are known. */
export function examineProgram(
  program: LocatedProgram,
  { delivery, follow, onlyFiles = false }: WantedDelivery,
  tracing: Tracing,
): FindDelivery {
  const conditions = {
    setting: delivery,
    follow,
    onlyFiles,
    program: inspectProgram(program.path),
    tracingImpossible: tracing.kind === "tracing" ? undefined : tracing.reason,
    preloadImpossible: interposerIsThere() ? undefined : `there is no ${interposerPath()}`,
    machine: machines[architecture] ?? 0,
  };
  return (largeValues) => {
    let filter: ExecFilter | undefined;
    const notify = () => {
      filter = installExecFilter(follow);
      return filter.kind === "installed" ? undefined : filter.reason;
    };
    return { choice: chooseDelivery({ ...conditions, largeValues, notify }), filter };
  };
}

function interposerIsThere(): boolean {
  return !["missing", "out of reach"].includes(
    fileKind(new TextEncoder().encode(interposerPath())),
  );
}
