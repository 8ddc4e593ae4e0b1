import { architecture, SyscallError } from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import { importsLibrary } from "../program/go-build-info.ts";
import { isLauncher, type ProgramNames } from "../program/launchers.ts";
import { raisesPrivileges } from "../program/privileges.ts";
import { executedPathAddress, type InitialStack, readInitialStack } from "./initial-stack.ts";
import { type CopiesFor, type Replacement, replaceCopies } from "./place-secrets.ts";
import type { PlacedGeneration, Placement } from "./placement.ts";
import { readProgramNames } from "./program-names.ts";
import { reachablePath } from "./reachable-path.ts";
import type { RegisterLayout } from "./register-layout.ts";
import { repointCode } from "./repoint-code.ts";
import { StoppedProgram } from "./stopped-program.ts";

const WORD_BYTES = 8;

/** What a launcher has started, and what was done to it. */
export type FollowedProgram =
  /** Its values are in the region. */
  | {
      readonly kind: CopiesFor;
      readonly executed: string;
      readonly placement: Placement | undefined;
    }
  /** Nothing was done: it is of another architecture, or has 32 bits. */
  | { readonly kind: "foreign" }
  /** Nothing was done: its file cannot be read, and so its memory cannot. */
  | { readonly kind: "unreadable" }
  /** It stands at the entry of its own execve, which will grant what tracing withheld. */
  | { readonly kind: "raises privileges"; readonly executed: string }
  /** Nothing was done. */
  | { readonly kind: Exclude<Replacement["kind"], "replaced">; readonly executed: string };

export interface FollowOptions {
  readonly layout: RegisterLayout;
  readonly region: InheritedRegion;
  /** Where the entries are that are current, and where those are that were there first. */
  readonly current: PlacedGeneration;
  readonly first: PlacedGeneration;
  /** True where the kernel grants a traced program nothing that its file would. */
  readonly withholdsPrivileges: boolean;
}

/** Takes the copies of the values out of a program that stands at its first instruction. */
export function protectFollowed(pid: number, options: FollowOptions): FollowedProgram {
  const program = StoppedProgram.hold(pid, options.layout);
  const code = repointCode[architecture];
  if (program === undefined || code === undefined) return { kind: "foreign" };
  const stack = stackOf(program);
  if (stack === undefined) {
    program.letBe();
    return { kind: "unreadable" };
  }
  const names = readProgramNames(stack, (address) => program.readWord(address));
  const { executed } = names;
  const { slotsAddress } = stack;
  const path = executedPathAddress(stack);
  const file = reachablePath(pid, executed);
  if (options.withholdsPrivileges && path !== undefined && raisesPrivileges(file, pid)) {
    program.executeAgain({ path, argv: program.stackPointer + WORD_BYTES, envp: slotsAddress });
    return { kind: "raises privileges", executed };
  }
  const copiesFor = roleOf(names, file);
  const { current, first, region } = options;
  const copies = { code, copiesFor, slotsAddress, current, first };
  const result = replaceCopies(program, region, copies);
  program.restore();
  if (result.kind !== "replaced") return { kind: result.kind, executed };
  return { kind: copiesFor, executed, placement: result.placement };
}

/** Undefined where the kernel protects the program's memory from its tracer: EIO of ptrace(2). */
function stackOf(program: StoppedProgram): InitialStack | undefined {
  try {
    return readInitialStack(program.stackPointer, (address) => program.readWord(address));
  } catch (error) {
    if (error instanceof SyscallError && error.code === "EIO") return undefined;
    throw error;
  }
}

function roleOf(names: ProgramNames, file: Uint8Array): CopiesFor {
  if (isLauncher(names)) return "launcher";
  return importsLibrary(file) ? "library" : "program";
}
