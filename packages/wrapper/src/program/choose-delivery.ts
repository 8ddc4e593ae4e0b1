import type { DeliveryMethod, Following } from "@svc/settings";
import { deliveryTraits } from "./delivery-traits.ts";
import { followingTraits } from "./following-traits.ts";
import type { ProgramFacts } from "./inspect-program.ts";

/** The delivery and why it was taken. */
export interface DeliveryChoice {
  readonly delivery: DeliveryMethod;
  readonly reason: string;
  /** How the program's children get them: by `inject` only. */
  readonly follow: Following;
  /** Why it is not `notify`, if that was asked for or would be better. */
  readonly noNotify?: string;
  /** True if the program must not be traced when it starts. */
  readonly untraced: boolean;
}

/** The inputs of the decision. */
export interface DeliveryConditions {
  readonly setting: "auto" | DeliveryMethod;
  readonly follow: "auto" | Following;
  /** True if no secret becomes a variable. */
  readonly onlyFiles?: boolean;
  readonly program: ProgramFacts;
  /** Why the supervisor cannot trace; undefined if it can. */
  readonly tracingImpossible: string | undefined;
  /** Why there is no interposer for this program; undefined if there is. */
  readonly preloadImpossible: string | undefined;
  /** Why execve(2) refuses the values to programs that the program starts; undefined if not. */
  readonly largeValues: string | undefined;
  /**
   * Has each execve announced, and says why that cannot be; undefined if it can. Called at most
   * once, and only if `inject` works.
   */
  readonly notify: () => string | undefined;
  /** e_machine of this process. */
  readonly machine: number;
}

/** A delivery that was asked for and cannot work. */
export interface ImpossibleDelivery {
  readonly delivery: "impossible";
  readonly reason: string;
}

/**
 * Takes the highest delivery of the ladder that works for the program, or the one that is asked
 * for.
 */
export function chooseDelivery(
  conditions: DeliveryConditions,
): DeliveryChoice | ImpossibleDelivery {
  const { setting } = conditions;
  // Nothing of the program is changed, as with the library.
  if (conditions.onlyFiles === true) return plain(conditions, "library", "every secret is a file");
  if (setting === "auto") return climb(conditions);
  const obstacle = obstacles[setting]?.(conditions);
  if (obstacle !== undefined) return { delivery: "impossible", reason: `${setting}: ${obstacle}` };
  const reason = `SVC_DELIVERY is ${setting}`;
  if (!deliveryTraits[setting].isTraced) return plain(conditions, setting, reason);
  return inject(conditions, reason, () => "trace");
}

/** Whether a setting asks for a delivery that not every program and place allows. */
export function mayBeImpossible({
  setting,
  follow,
}: Pick<DeliveryConditions, "setting" | "follow">): boolean {
  if (setting !== "auto" && obstacles[setting] !== undefined) return true;
  return follow !== "auto" && followingTraits[follow].isAnnounced;
}

function plain(
  { program }: DeliveryConditions,
  delivery: DeliveryMethod,
  reason: string,
): DeliveryChoice {
  return { delivery, reason, follow: "off", untraced: program.raisesPrivileges };
}

/**
 * @param instead the way if no execve can be announced; the choice of another delivery if
 * that is
 *   better.
 */
function inject(
  conditions: DeliveryConditions,
  reason: string,
  instead: (noNotify: string) => "trace" | DeliveryChoice,
): DeliveryChoice | ImpossibleDelivery {
  const { follow } = conditions;
  const choice = { delivery: "inject", reason, untraced: false } as const;
  switch (follow) {
    case "off":
    case "trace":
      return { ...choice, follow };
    case "notify": {
      const noNotify = conditions.notify();
      return noNotify === undefined
        ? { ...choice, follow }
        : { delivery: "impossible", reason: `SVC_FOLLOW is notify: ${noNotify}` };
    }
    case "auto": {
      const noNotify = conditions.notify();
      if (noNotify === undefined) return { ...choice, follow: "notify" };
      const other = instead(noNotify);
      return other === "trace" ? { ...choice, follow: "trace", noNotify } : other;
    }
  }
}

function climb(conditions: DeliveryConditions): DeliveryChoice | ImpossibleDelivery {
  const { program } = conditions;
  if (program.importsLibrary) {
    return plain(conditions, "library", "the program uses the Go library");
  }
  const noInject = obstacles.inject(conditions);
  const noPreload = obstacles.preload(conditions);
  const { largeValues } = conditions;
  if (noInject === undefined && noPreload === undefined && largeValues !== undefined) {
    return plain(conditions, "preload", `by inject it could start no program: ${largeValues}`);
  }
  if (noInject === undefined) {
    return inject(conditions, "nothing in the program has to change", (noNotify) => {
      const reason = `no execve can be announced: ${noNotify}`;
      if (noPreload === undefined) return plain(conditions, "preload", reason);
      // LeakSanitizer ends a program that is traced for life.
      if (program.elf?.sanitizer === undefined) return "trace";
      return plain(conditions, "env", `${reason}; no preload: ${noPreload}`);
    });
  }
  if (noPreload === undefined) return plain(conditions, "preload", `no inject: ${noInject}`);
  const reason =
    noInject === noPreload
      ? `no inject, no preload: ${noInject}`
      : `no inject: ${noInject}; no preload: ${noPreload}`;
  return plain(conditions, "env", reason);
}

type Obstacle = (conditions: DeliveryConditions) => string | undefined;

/** A method without an obstacle works for every program, and everywhere. */
const obstacles = {
  // A program can read the region without the library.
  library: undefined,
  env: undefined,
  inject: (conditions) => programObstacle(conditions) ?? conditions.tracingImpossible,
  preload: (conditions) =>
    programObstacle(conditions) ??
    (conditions.program.elf?.loader === undefined ? "the program is static" : undefined) ??
    sanitizerObstacle(conditions.program.elf?.sanitizer) ??
    conditions.preloadImpossible,
} as const satisfies Readonly<Record<DeliveryMethod, Obstacle | undefined>>;

function sanitizerObstacle(sanitizer: string | undefined): string | undefined {
  return sanitizer && `the program's ${sanitizer} (AddressSanitizer) has to be loaded first`;
}

/** The obstacle to both. */
function programObstacle({ program, machine }: DeliveryConditions): string | undefined {
  if (!program.readable) return "the program's file cannot be read";
  if (program.elf === undefined) return "the program is not an ELF file";
  if (program.raisesPrivileges) return "the program's file raises privileges";
  if (program.elf.bits === 32) return "the program has 32 bits";
  if (program.elf.machine !== machine) return "the program is for another architecture";
  return undefined;
}
