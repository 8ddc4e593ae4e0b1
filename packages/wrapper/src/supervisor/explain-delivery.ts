import { exitProcess, writeIfPossible } from "@svc/kernel";
import { type FileMapping, mustBeFirstProcess, type Supervision } from "@svc/settings";
import { exitCodeOf, failuresOf } from "../errors.ts";
import { aboutChildren } from "../program/about-children.ts";
import type { DeliveryChoice, ImpossibleDelivery } from "../program/choose-delivery.ts";
import { aboutEnviron } from "../program/delivery-traits.ts";
import { examineProgram } from "../program/find-delivery.ts";
import { type LocatedProgram, locateProgram } from "../program/locate-program.ts";
import { noSupervisor } from "../program/tracing.ts";
import type { ExplainedFiles } from "../secret-files/explain-files.ts";
import type { OwnMounts } from "../secret-files/own-mounts.ts";
import type { SettingsResult } from "../settings.ts";
import type { Beginning } from "./begin.ts";

const STANDARD_OUTPUT = 1;

/**
 * Prints the delivery for the program and its children, with the reason, and ends the wrapper.
 * Nothing was started except the courier, whose tracing shows whether that is allowed here.
 */
export async function explainDelivery(
  {
    delivery,
    follow,
    supervise,
    program,
    onlyFiles,
    files,
  }: Extract<SettingsResult, { readonly kind: "explain" }>,
  { arrival, commandLine, mounts, first: { courier } }: Beginning,
): Promise<never> {
  courier.abandon();
  try {
    const located = locateProgram(program, commandLine.programWords, arrival.environment);
    const find = examineProgram(
      located,
      { delivery, follow, onlyFiles },
      supervise === "never" ? noSupervisor : courier.tracing,
    );
    // The vault is not asked for the values.
    const { choice } = find(undefined);
    print(
      onlyFiles ? "no variable: every secret is a file" : `${choice.delivery}: ${choice.reason}`,
    );
    const children = onlyFiles ? "have the same files" : childrenOf(choice);
    if (children !== undefined) print(`children: ${children}`);
    const environ = choice.delivery === "impossible" ? undefined : aboutEnviron(choice.delivery);
    if (environ !== undefined) print(`environ: ${environ}`);
    const places = mounts === undefined ? undefined : await aboutFiles(files, mounts);
    for (const line of places?.lines ?? []) print(`files: ${line}`);
    const supervision = aboutSupervision(supervise, located);
    if (supervision !== undefined) print(`supervision: ${supervision}`);
    return exitProcess(choice.delivery === "impossible" || places?.possible === false ? 125 : 0);
  } catch (error) {
    const failures = failuresOf(error);
    for (const { message } of failures) print(`impossible: ${message}`);
    return exitProcess(exitCodeOf(failures));
  }
}

function childrenOf(choice: DeliveryChoice | ImpossibleDelivery): string | undefined {
  return choice.delivery === "impossible" ? undefined : aboutChildren(choice);
}

/** Nothing is mounted. */
async function aboutFiles(
  files: readonly FileMapping[],
  mounts: OwnMounts,
): Promise<ExplainedFiles> {
  const { explainFiles } = await import("../secret-files/explain-files.ts");
  return explainFiles(files, mounts);
}

/** Undefined if the wrapper stays beside the program, and may. */
function aboutSupervision(supervise: Supervision, { path }: LocatedProgram): string | undefined {
  if (supervise === "never") return "none: the wrapper becomes the program, with its number";
  return mustBeFirstProcess(new TextDecoder().decode(path))
    ? "the wrapper stays, but the program may run only as process 1: use SVC_SUPERVISE=never"
    : undefined;
}

function print(line: string): void {
  writeIfPossible(STANDARD_OUTPUT, new TextEncoder().encode(`${line}\n`));
}
