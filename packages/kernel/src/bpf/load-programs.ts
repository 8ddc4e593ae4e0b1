import { SyscallError } from "../libc/syscall-error.ts";
import { type BpfLoadOptions, BpfObject } from "./bpf-object.ts";

const LOG_BYTES = 1 << 16;

/** A program that this kernel does not take. */
export interface BpfRefusal {
  readonly program: string;
  /** The error of the load or of the attachment. */
  readonly error: SyscallError;
  /** The verifier's message, often empty. */
  readonly log: string;
}

/** The part of an object that the kernel accepted. */
export interface LoadedPrograms {
  readonly object: BpfObject;
  readonly attached: readonly string[];
  readonly refused: readonly BpfRefusal[];
}

/**
 * Loads and attaches as many of the programs as this kernel takes. The kernel loads all or none:
 * when it refuses, each is tried by itself, and those that it takes are loaded together, so that
 * they have the same maps.
 *
 * @throws SyscallError if the bytes are not an object, it lacks a name, or the kernel refuses its
 * maps.
 * @throws UnsupportedFeatureError without libbpf.
 */
export function loadPrograms(
  bytes: Uint8Array,
  { attach = attachBySection, prepare = nothing, ...options }: LoadProgramsOptions,
): LoadedPrograms {
  const whole = tryLoad(bytes, options);
  if (whole instanceof BpfObject)
    return attachAll(whole, options.programs, { attach, prepare, refused: [] });
  const refused: BpfRefusal[] = [];
  for (const program of options.programs) {
    const alone = tryLoad(bytes, { ...options, programs: [program] });
    if (alone instanceof BpfObject) alone.close();
    else refused.push({ program, ...alone });
  }
  const programs = options.programs.filter((name) => refused.every((x) => x.program !== name));
  const object = BpfObject.load(bytes, { ...options, programs });
  return attachAll(object, programs, { attach, prepare, refused });
}

/** For a program whose section names no hook, or that needs preparation. */
export interface LoadProgramsOptions extends BpfLoadOptions {
  /** Attaches one program; called in their order. By default it attaches by the section. */
  readonly attach?: (object: BpfObject, program: string) => void;
  /** Called when the object is loaded, before anything is attached. */
  readonly prepare?: (object: BpfObject) => void;
}

const nothing = (): void => undefined;

function attachBySection(object: BpfObject, program: string): void {
  object.attach(program);
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
  { attach, prepare, refused: notLoaded }: Attaching,
): LoadedPrograms {
  prepare(object);
  const attached: string[] = [];
  const refused = [...notLoaded];
  for (const program of programs) {
    try {
      attach(object, program);
      attached.push(program);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      refused.push({ program, error, log: "" });
    }
  }
  return { object, attached, refused };
}

type Attaching = Pick<LoadedPrograms, "refused"> &
  Required<Pick<LoadProgramsOptions, "attach" | "prepare">>;

function textOf(log: Uint8Array): string {
  return new TextDecoder().decode(log.subarray(0, log.indexOf(0))).trim();
}
