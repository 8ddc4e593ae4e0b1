import type { InheritedRegion } from "../delivery-plan.ts";
import { importsLibrary } from "../program/go-build-info.ts";
import { isLauncher, type ProgramNames } from "../program/launchers.ts";
import { readInitialStack } from "./initial-stack.ts";
import { type CopiesFor, replaceCopies } from "./place-secrets.ts";
import { readProgramNames } from "./program-names.ts";
import type { RegisterLayout } from "./register-layout.ts";
import { repointCode } from "./repoint-code.ts";
import { StoppedProgram } from "./stopped-program.ts";

/** What a launcher has started, and what was done to it. */
export type FollowedProgram =
  /** Its values are in the region. */
  | { readonly kind: CopiesFor; readonly executed: string }
  /** Nothing was done: it is of another architecture, or has 32 bits. */
  | { readonly kind: "foreign" }
  /** Nothing was done: its launcher has closed the descriptor of the region. */
  | { readonly kind: "without descriptor"; readonly executed: string };

/** Takes the copies of the values out of a program that stands at its first instruction. */
export function protectFollowed(
  pid: number,
  layout: RegisterLayout,
  region: InheritedRegion,
): FollowedProgram {
  const program = StoppedProgram.hold(pid, layout);
  const code = repointCode[process.arch];
  if (program === undefined || code === undefined) return { kind: "foreign" };
  const read = (address: number) => program.readWord(address);
  const stack = readInitialStack(program.stackPointer, read);
  const names = readProgramNames(stack, read);
  const copiesFor = roleOf(names);
  const { slotsAddress } = stack;
  const replaced = replaceCopies(program, region, { code, copiesFor, slotsAddress });
  program.restore();
  return { kind: replaced ? copiesFor : "without descriptor", executed: names.executed };
}

function roleOf(names: ProgramNames): CopiesFor {
  if (isLauncher(names)) return "launcher";
  const path = new TextEncoder().encode(names.executed);
  return importsLibrary(path) ? "library" : "program";
}
