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
}

/** How a program gets its values, and the filter that this process has for it now. */
export interface FoundDelivery {
  readonly choice: DeliveryChoice | ImpossibleDelivery;
  readonly filter: ExecFilter | undefined;
}

/**
 * Examines a program and chooses its delivery method. If its execves are announced, the
 * function puts the filter for that on this process.
 */
export function findDelivery(
  program: LocatedProgram,
  { delivery, follow }: WantedDelivery,
  tracing: Tracing,
): FoundDelivery {
  let filter: ExecFilter | undefined;
  const choice = chooseDelivery({
    setting: delivery,
    follow,
    notify: () => {
      filter = installExecFilter(follow);
      return filter.kind === "installed" ? undefined : filter.reason;
    },
    program: inspectProgram(program.path),
    tracingImpossible: tracing.kind === "tracing" ? undefined : tracing.reason,
    preloadImpossible: interposerIsThere() ? undefined : `there is no ${interposerPath()}`,
    machine: machines[architecture] ?? 0,
  });
  return { choice, filter };
}

function interposerIsThere(): boolean {
  return !["missing", "out of reach"].includes(
    fileKind(new TextEncoder().encode(interposerPath())),
  );
}
