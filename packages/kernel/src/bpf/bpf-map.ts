import { checked, lastErrno, SyscallError } from "../syscall-error.ts";
import { libbpf } from "./libbpf.ts";

const ENOENT = 2;
// enum bpf_map_type of linux/bpf.h: of these, each processor has a value of its own.
const PER_CPU_TYPES: readonly number[] = [5, 6, 10, 21];

/** A map of a loaded object, which owns it. */
export class BpfMap {
  readonly fd: number;
  readonly keyBytes: number;
  /** Of one value; a map per processor has one for each. */
  readonly valueBytes: number;
  /** Of a ring buffer: its bytes. */
  readonly maxEntries: number;
  readonly #isPerCpu: boolean;

  /** @param map the address of a `struct bpf_map` of libbpf. */
  constructor(map: number) {
    this.fd = checked("bpf_map__fd", libbpf().bpf_map__fd(map));
    this.keyBytes = libbpf().bpf_map__key_size(map);
    this.valueBytes = libbpf().bpf_map__value_size(map);
    this.maxEntries = libbpf().bpf_map__max_entries(map);
    this.#isPerCpu = PER_CPU_TYPES.includes(libbpf().bpf_map__type(map));
  }

  /** Writes a value; bpf_map_update_elem(2). Of a map per processor: one for each, each of a multiple of 8 bytes. */
  update(key: Uint8Array, value: Uint8Array): void {
    this.#checkKey(key);
    if (value.length !== this.#room()) {
      throw new RangeError(`value of ${value.length} bytes: the map wants ${this.#room()}`);
    }
    checked("bpf_map_update_elem", libbpf().bpf_map_update_elem(this.fd, key, value, 0));
  }

  /** A copy of the value, or of one for each processor; undefined where there is none. */
  lookup(key: Uint8Array): Uint8Array | undefined {
    this.#checkKey(key);
    const value = new Uint8Array(this.#room());
    if (libbpf().bpf_map_lookup_elem(this.fd, key, value) >= 0) return value;
    if (lastErrno() === ENOENT) return undefined;
    throw new SyscallError("bpf_map_lookup_elem", lastErrno());
  }

  /** Removes a value; false where there is none. */
  delete(key: Uint8Array): boolean {
    this.#checkKey(key);
    if (libbpf().bpf_map_delete_elem(this.fd, key) >= 0) return true;
    if (lastErrno() === ENOENT) return false;
    throw new SyscallError("bpf_map_delete_elem", lastErrno());
  }

  // The kernel reads and writes as many bytes as the map says.
  #checkKey(key: Uint8Array): void {
    if (key.length === this.keyBytes) return;
    throw new RangeError(`key of ${key.length} bytes: the map wants ${this.keyBytes}`);
  }

  #room(): number {
    if (!this.#isPerCpu) return this.valueBytes;
    const cpus = checked("libbpf_num_possible_cpus", libbpf().libbpf_num_possible_cpus());
    return Math.ceil(this.valueBytes / 8) * 8 * cpus;
  }
}
