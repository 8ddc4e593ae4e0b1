import { type Pointer, toArrayBuffer } from "bun:ffi";
import { cString } from "../libc/c-strings.ts";
import { ENOENT } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { BpfMap } from "./bpf-map.ts";
import { libbpf } from "./libbpf.ts";
import { leaveModulesAlone, mayListModules } from "./modules.ts";
import { type ProgramRuns, programRuns } from "./program-runs.ts";

/** How an object is to be loaded. */
export interface BpfLoadOptions {
  /** The programs to load, by their functions' names. The others are left out. */
  readonly programs: readonly string[];
  /**
   * First bytes of a section of constants, by its name (`.rodata.config`); the verifier sees them.
   */
  readonly constants?: Readonly<Record<string, Uint8Array>>;
  /** Entries of a map, or bytes of a ring, instead of the object's number. */
  readonly mapEntries?: Readonly<Record<string, number>>;
  /**
   * Paths of a BPF file system, by map: the map that is pinned there is used, or the new one is
   * pinned there. One that does not fit fails the load.
   */
  readonly mapPins?: Readonly<Record<string, string>>;
  /**
   * Takes the verifier's message about a program that it refuses: text that ends at the first NUL.
   */
  readonly log?: Uint8Array;
}

/** The link that attaches a program. */
interface BpfLink {
  readonly name: string;
  readonly handle: number;
  isPinned: boolean;
}

/** Programs and maps in the kernel, for as long as it is open. */
export class BpfObject {
  readonly #handle: number;
  readonly #programs: ReadonlyMap<string, number>;
  readonly #links: BpfLink[] = [];

  private constructor(handle: number) {
    this.#handle = handle;
    this.#programs = programsOf(handle);
  }

  /**
   * Loads programs of an object, all or none.
   *
   * @param bytes the object file.
   * @throws SyscallError if the bytes are not an object, it lacks a name (`ENOENT`), or the kernel
   * refuses a program or a map.
   * @throws UnsupportedFeatureError without libbpf.
   */
  static load(bytes: Uint8Array, options: BpfLoadOptions): BpfObject {
    const handle = Number(libbpf().bpf_object__open_mem(bytes, bytes.length, 0));
    if (handle === 0) throw new SyscallError("bpf_object__open_mem", lastErrno());
    const object = new BpfObject(handle);
    try {
      object.#prepare(options);
      refuseErrors("bpf_object__load", libbpf().bpf_object__load(handle));
      return object;
    } catch (error) {
      object.close();
      throw error;
    }
  }

  /** The programs of the object, loaded or not. */
  get programs(): readonly string[] {
    return [...this.#programs.keys()];
  }

  /**
   * Attaches a loaded program as its section says, until the object is closed.
   *
   * @throws SyscallError if the kernel refuses, or the program is not loaded.
   */
  attach(program: string): void {
    this.#keepLink(program, libbpf().bpf_program__attach(this.#program(program)));
  }

  /**
   * Attaches a loaded program of the section `kprobe` to the beginning of a function of the kernel.
   *
   * @throws SyscallError `ENOENT` if there is no such function.
   */
  attachToFunction(program: string, name: string): void {
    const handle = this.#program(program);
    const link = libbpf().bpf_program__attach_kprobe(handle, false, cString(name));
    this.#keepLink(`${program}_of_${name}`, link);
  }

  /**
   * Pins links into a folder of a BPF file system. They stay attached when the object is closed,
   * and when the process ends, until the pins are removed. A BPF file system takes no dots in
   * names.
   *
   * @param suffix of the files' names, behind those of the programs
   * @returns the files' names
   */
  pinLinks(folder: string, suffix: string): readonly string[] {
    return this.#links.map((link) => {
      const name = `${link.name}${suffix}`;
      const result = libbpf().bpf_link__pin(link.handle, cString(`${folder}/${name}`));
      refuseErrors("bpf_link__pin", result);
      link.isPinned = true;
      return name;
    });
  }

  /**
   * A map of the object; it must not be used after close.
   *
   * @throws SyscallError `ENOENT` if there is none of that name.
   */
  map(name: string): BpfMap {
    const map = this.#map(name);
    return new BpfMap(checked("bpf_map__fd", libbpf().bpf_map__fd(map)));
  }

  /**
   * How often a loaded program ran and how long that took, while the kernel measures it
   * (measurePrograms).
   */
  runsOf(program: string): ProgramRuns {
    return programRuns(
      checked("bpf_program__fd", libbpf().bpf_program__fd(this.#program(program))),
    );
  }

  /** Detaches the programs except for pinned ones, and frees everything. */
  close(): void {
    for (const { handle, isPinned } of this.#links.splice(0)) {
      // Otherwise the perf event of the link is switched off, pinned or not
      // (PERF_EVENT_IOC_DISABLE).
      if (isPinned) libbpf().bpf_link__disconnect(handle);
      libbpf().bpf_link__destroy(handle);
    }
    libbpf().bpf_object__close(this.#handle);
  }

  #keepLink(name: string, link: bigint | number): void {
    const handle = Number(link);
    if (handle === 0) throw new SyscallError("bpf_program__attach", lastErrno());
    this.#links.push({ name, handle, isPinned: false });
  }

  #prepare({ programs, constants = {}, mapEntries = {}, mapPins = {}, log }: BpfLoadOptions): void {
    for (const name of programs) this.#program(name);
    if (!mayListModules()) leaveModulesAlone(this.#programs);
    for (const [name, program] of this.#programs) {
      libbpf().bpf_program__set_autoload(program, programs.includes(name));
      if (log) libbpf().bpf_program__set_log_buf(program, log, log.length);
    }
    for (const [name, bytes] of Object.entries(constants)) setConstants(this.#map(name), bytes);
    for (const [name, entries] of Object.entries(mapEntries)) {
      const result = libbpf().bpf_map__set_max_entries(this.#map(name), entries);
      refuseErrors("bpf_map__set_max_entries", result);
    }
    for (const [name, path] of Object.entries(mapPins)) {
      const result = libbpf().bpf_map__set_pin_path(this.#map(name), cString(path));
      refuseErrors("bpf_map__set_pin_path", result);
    }
  }

  #program(name: string): number {
    const program = this.#programs.get(name);
    if (program === undefined) throw new SyscallError("bpf_object__next_program", ENOENT);
    return program;
  }

  #map(name: string): number {
    const map = Number(libbpf().bpf_object__find_map_by_name(this.#handle, cString(name)));
    if (map === 0) throw new SyscallError("bpf_object__find_map_by_name", ENOENT);
    return map;
  }
}

function programsOf(handle: number): ReadonlyMap<string, number> {
  const programs = new Map<string, number>();
  let program = Number(libbpf().bpf_object__next_program(handle, 0));
  while (program !== 0) {
    programs.set(String(libbpf().bpf_program__name(program)), program);
    program = Number(libbpf().bpf_object__next_program(handle, program));
  }
  return programs;
}

/** The section's first bytes; libbpf has it mapped until the object is closed. */
function setConstants(map: number, bytes: Uint8Array): void {
  const size = new BigUint64Array(1);
  const address = Number(libbpf().bpf_map__initial_value(map, size));
  const room = Number(size[0]);
  if (address === 0 || bytes.length > room) {
    throw new RangeError(`set constants: ${bytes.length} bytes do not fit into ${room}`);
  }
  // libbpf has told how many bytes are there.
  new Uint8Array(toArrayBuffer(address as Pointer, 0, room)).set(bytes);
}

/** libbpf returns -errno. */
function refuseErrors(call: string, result: number): void {
  if (result < 0) throw new SyscallError(call, -result);
}
