import { callNumbers } from "../../scripts/generate/system-calls/call-numbers.ts";
import { wrapperCalls } from "../../scripts/generate/system-calls/wrapper-calls.ts";
import { ownHeader } from "./own-header.ts";
import type { ProgramKind, SweepPoint } from "./sweep-point.ts";

/** The errors of refusals, with their numbers and the C library's texts. */
const errors = [
  ["EPERM", 1, "Operation not permitted"],
  ["ENOSYS", 38, "Function not implemented"],
  ["ENOMEM", 12, "Cannot allocate memory"],
  ["EAGAIN", 11, "Resource temporarily unavailable"],
] as const;

/** The interposer makes calls in the program itself. */
const deliveries: Readonly<Record<ProgramKind, readonly string[]>> = {
  static: ["auto"],
  dynamic: ["auto", "preload"],
};

/** A process that may not exit never ends: these are not refused. */
const leftOut = ["exit", "exit_group"];

/** The C library ends the process in its own words before the wrapper begins. */
const wordsOfLibrary: Readonly<Record<string, string>> = {
  arch_prctl: "TLS block|%fs base address",
};

/** A seccomp filter refuses one call of the wrapper's list, for each call and each error. */
export function callPoints(programs: readonly ProgramKind[]): readonly SweepPoint[] {
  const names = wrapperCalls.flatMap((group) => group.names);
  const numbers = callNumbers(
    ownHeader(),
    names.filter((name) => !leftOut.includes(name)),
  );
  return [...numbers].flatMap(([of, number]) =>
    errors.flatMap(([error, errno, text]) =>
      programs.flatMap((program) =>
        deliveries[program].map((delivery) => ({
          ...{ name: `${of} ${error}, ${program}, ${delivery}`, of, program },
          startsAs: ["-n", `${number}=${errno}`],
          settings: { SVC_DELIVERY: delivery },
          cause: causeOf(of, [error, text, `Error ${errno}`]),
        })),
      ),
    ),
  );
}

/** EAGAIN of a socket says that nothing has come yet, so the vault's answer is missing. */
function causeOf(of: string, texts: readonly string[]): RegExp {
  const more = texts.includes("EAGAIN") ? ["no complete answer within"] : [];
  // A library that panics, and the interposer, do not say with which error.
  const named = `refuses a system call: ${of}$`;
  return new RegExp([...texts, ...more, named, wordsOfLibrary[of] ?? texts[0]].join("|"), "m");
}
