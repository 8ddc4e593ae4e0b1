import { SyscallError } from "../syscall-error.ts";
import { type BpfLoadOptions, BpfObject } from "./bpf-object.ts";

const LOG_BYTES = 1 << 16;

/** A program that this kernel does not take. */
export interface BpfRefusal {
  readonly program: string;
  /** Of the load or of the attachment. */
  readonly error: SyscallError;
  /** What the verifier said, often nothing. */
  readonly log: string;
}

/** What could be had of an object. */
export interface LoadedPrograms {
  readonly object: BpfObject;
  readonly attached: readonly string[];
  readonly refused: readonly BpfRefusal[];
}

/**
 * Loads and attaches as many of the programs as this kernel takes. The kernel loads all or none: when it refuses,
 * each is tried by itself, and those that it takes are loaded together, so that they have the same maps.
 *
 * @throws SyscallError where the bytes are no object, it lacks a name, or the kernel refuses its maps.
 * @throws UnsupportedFeatureError without libbpf.
 */
export function loadPrograms(bytes: Uint8Array, options: BpfLoadOptions): LoadedPrograms {
  const whole = tryLoad(bytes, options);
  if (whole instanceof BpfObject) return attachAll(whole, options.programs, []);
  const refused: BpfRefusal[] = [];
  for (const program of options.programs) {
    const alone = tryLoad(bytes, { ...options, programs: [program] });
    if (alone instanceof BpfObject) alone.close();
    else refused.push({ program, ...alone });
  }
  const programs = options.programs.filter((name) => refused.every((x) => x.program !== name));
  return attachAll(BpfObject.load(bytes, { ...options, programs }), programs, refused);
}

function tryLoad(
  bytes: Uint8Array,
  options: BpfLoadOptions,
): BpfObject | Omit<BpfRefusal, "program"> {
  const log = new Uint8Array(LOG_BYTES);
  try {
    return BpfObject.load(bytes, { ...options, log });
  } catch (error) {
    if (!(error instanceof SyscallError) || error.syscall !== "bpf_object__load") throw error;
    return { error, log: textOf(log) };
  }
}

function attachAll(
  object: BpfObject,
  programs: readonly string[],
  notLoaded: readonly BpfRefusal[],
): LoadedPrograms {
  const attached: string[] = [];
  const refused = [...notLoaded];
  for (const program of programs) {
    try {
      object.attach(program);
      attached.push(program);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      refused.push({ program, error, log: "" });
    }
  }
  return { object, attached, refused };
}

function textOf(log: Uint8Array): string {
  return new TextDecoder().decode(log.subarray(0, log.indexOf(0))).trim();
}
