import type { ProgramFacts } from "./inspect-program.ts";

/** How the program gets its values. */
export type DeliveryRung = "library" | "inject" | "preload" | "env";

/** The rung and why it was taken. */
export interface DeliveryChoice {
  readonly rung: DeliveryRung;
  readonly reason: string;
  /** True where the program will become another one, which has to be followed (`inject`). */
  readonly follow: boolean;
  /** True where the program must not be traced when it starts. */
  readonly untraced: boolean;
}

/** What decides. */
export interface DeliveryConditions {
  readonly setting: "auto" | DeliveryRung;
  readonly program: ProgramFacts;
  /** Why the supervisor cannot trace; undefined where it can. */
  readonly tracingImpossible: string | undefined;
  /** Why there is no interposer for this program; undefined where there is. */
  readonly preloadImpossible: string | undefined;
  /** e_machine of this process. */
  readonly machine: number;
}

/** A rung that was asked for and cannot work. */
export interface ImpossibleDelivery {
  readonly rung: "impossible";
  readonly reason: string;
}

/** Takes the highest rung of the ladder that works for the program, or the one that is asked for. */
export function chooseDelivery(
  conditions: DeliveryConditions,
): DeliveryChoice | ImpossibleDelivery {
  const { setting, program } = conditions;
  if (setting === "auto") return choiceFor(program, climb(conditions));
  const obstacle = obstacles[setting](conditions);
  return obstacle === undefined
    ? choiceFor(program, { rung: setting, reason: `SVC_DELIVERY is ${setting}` })
    : { rung: "impossible", reason: `${setting}: ${obstacle}` };
}

/** Whether a setting asks for a rung that not every program and place allows. */
export function mayBeImpossible(setting: DeliveryConditions["setting"]): boolean {
  return setting === "inject" || setting === "preload";
}

function choiceFor(
  program: ProgramFacts,
  { rung, reason }: { readonly rung: DeliveryRung; readonly reason: string },
): DeliveryChoice {
  const follow = rung === "inject" && program.isLauncher;
  return { rung, reason, follow, untraced: program.raisesPrivileges };
}

function climb(conditions: DeliveryConditions) {
  const { program } = conditions;
  if (program.importsLibrary) {
    return { rung: "library", reason: "the program uses the Go library" } as const;
  }
  const noInject = obstacles.inject(conditions);
  if (noInject === undefined) {
    const reason = program.isLauncher
      ? "the program is a launcher: what it starts is followed"
      : "nothing in the program has to change";
    return { rung: "inject", reason } as const;
  }
  const noPreload = obstacles.preload(conditions);
  if (noPreload === undefined) {
    return { rung: "preload", reason: `no inject: ${noInject}` } as const;
  }
  const reason =
    noInject === noPreload
      ? `no inject, no preload: ${noInject}`
      : `no inject: ${noInject}; no preload: ${noPreload}`;
  return { rung: "env", reason } as const;
}

type Obstacle = (conditions: DeliveryConditions) => string | undefined;

const obstacles: Readonly<Record<DeliveryRung, Obstacle>> = {
  // A program can read the region without the library.
  library: () => undefined,
  env: () => undefined,
  inject: (conditions) => programObstacle(conditions) ?? conditions.tracingImpossible,
  preload: (conditions) =>
    programObstacle(conditions) ??
    (conditions.program.elf?.loader === undefined ? "the program is static" : undefined) ??
    conditions.preloadImpossible,
};

/** What stands in the way of both. */
function programObstacle({ program, machine }: DeliveryConditions): string | undefined {
  if (!program.readable) return "the program's file cannot be read";
  if (program.elf === undefined) return "the program is not an ELF file";
  if (program.raisesPrivileges) return "the program's file raises privileges";
  if (program.elf.bits === 32) return "the program has 32 bits";
  if (program.elf.machine !== machine) return "the program is for another architecture";
  return undefined;
}
