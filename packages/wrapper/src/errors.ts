import { asSyscallError, SyscallError } from "@svc/kernel";
import { type WrapperErrorCode, wrapperErrorCatalogue } from "./error-catalogue.ts";

/** One thing that is wrong. Plain data: it travels from the courier to the supervisor as JSON. */
export interface Failure {
  readonly code: WrapperErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** Trying again does not mend it: a person has to change a role, a policy or a secret. */
  readonly lasting?: true;
}

/** Why the program was not started; holds everything that was found wrong. */
export class WrapperError extends Error {
  readonly failures: readonly Failure[];

  constructor(failures: readonly [Failure, ...Failure[]], cause?: unknown) {
    super(failures.map(({ message }) => message).join("; "), { cause });
    this.name = "WrapperError";
    this.failures = failures;
  }
}

/** A single failure, with the catalogue's hint if none is given. */
export function failure(
  code: WrapperErrorCode,
  message: string,
  hint: string = wrapperErrorCatalogue[code].hint,
): Failure {
  return { code, message, hint };
}

/** The exit status for failures: that of the first. */
export function exitCodeOf([first]: readonly Failure[]): number {
  return first === undefined ? 125 : wrapperErrorCatalogue[first.code].exitCode;
}

/** Turns a thrown value into failures. It does not repeat the text of unknown errors. */
export function failuresOf(error: unknown): readonly Failure[] {
  if (error instanceof WrapperError) return error.failures;
  const found = asSyscallError(error);
  if (found instanceof SyscallError) return [refusedCall(found)];
  if (isOutOfMemory(error)) return [outOfMemory];
  // Unknown errors may quote their input, which may be a secret: the message has only the class.
  const name = error instanceof Error ? error.name : typeof error;
  return [failure("INTERNAL", `unexpected ${name}`)];
}

/** The kernel says so of a call that the wrapper has made wrongly. */
const ofMistakes: readonly string[] = ["EBADF", "EFAULT", "EINVAL"];

/** @param attempt the aim of the call, for example `start the courier: `. */
export function refusedCall({ code, message }: SyscallError, attempt = ""): Failure {
  if (code === "EMFILE" || code === "ENFILE") {
    return failure("DESCRIPTOR_LIMIT", `open a descriptor: ${message}`);
  }
  if (ofMistakes.includes(code)) return failure("INTERNAL", `unexpected SyscallError: ${message}`);
  return failure("SYSTEM_CALL_REFUSED", `${attempt}the kernel refuses a system call: ${message}`);
}

/** Also for the host, which says it if the script cannot. */
export const outOfMemory: Failure = failure("OUT_OF_MEMORY", "no memory is left");

/**
 * The engine throws null if there is no memory left even for an error. Its InternalError is a lack of
 * memory for the heap, the stack or a regular expression.
 */
function isOutOfMemory(error: unknown): boolean {
  return error === null || (error instanceof Error && error.name === "InternalError");
}
