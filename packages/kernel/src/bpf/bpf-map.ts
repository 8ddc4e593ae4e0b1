import { cString } from "../libc/c-strings.ts";
import { ENOENT } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { libbpf } from "./libbpf.ts";

// enum bpf_map_type of linux/bpf.h: of these, each processor has its own value.
const PER_CPU_TYPES: readonly number[] = [5, 6, 10, 21];

// struct bpf_map_info of linux/bpf.h: __u32 type, id, key_size, value_size, max_entries.
const INFO_BYTES = 24;
const at = { type: 0, id: 4, keyBytes: 8, valueBytes: 12, maxEntries: 16 } as const;

/** A map in the kernel. */
export class BpfMap {
  readonly fd: number;
  /** As `bpftool map` numbers them. */
  readonly id: number;
  readonly keyBytes: number;
  /** The size of one value; a map per processor has one for each. */
  readonly valueBytes: number;
  /** For a ring buffer, the number of its bytes. */
  readonly maxEntries: number;
  readonly #isPerCpu: boolean;

  /** @param fd a descriptor of it, which its owner closes. */
  constructor(fd: number) {
    const info = new DataView(new ArrayBuffer(INFO_BYTES));
    const length = new Uint32Array([INFO_BYTES]);
    const bytes = new Uint8Array(info.buffer);
    checked("bpf_obj_get_info_by_fd", libbpf().bpf_obj_get_info_by_fd(fd, bytes, length));
    const number = (offset: number) => info.getUint32(offset, true);
    this.fd = fd;
    this.id = number(at.id);
    this.keyBytes = number(at.keyBytes);
    this.valueBytes = number(at.valueBytes);
    this.maxEntries = number(at.maxEntries);
    this.#isPerCpu = PER_CPU_TYPES.includes(number(at.type));
  }

  /**
   * A map by its pin; its descriptor is the caller's to close.
   *
   * @throws SyscallError `ENOENT` if there is none.
   */
  static pinned(path: string): BpfMap {
    return new BpfMap(checked("bpf_obj_get", libbpf().bpf_obj_get(cString(path))));
  }

  /**
   * A map by its number; its descriptor is the caller's to close.
   *
   * @throws SyscallError `ENOENT` if there is none.
   */
  static byId(id: number): BpfMap {
    return new BpfMap(checked("bpf_map_get_fd_by_id", libbpf().bpf_map_get_fd_by_id(id)));
  }

  /**
   * Writes a value; bpf_map_update_elem(2). A map per processor takes a value for each, of a
   * multiple of 8 bytes.
   */
  update(key: Uint8Array, value: Uint8Array): void {
    this.#checkKey(key);
    if (value.length !== this.#room()) {
      throw new RangeError(`value of ${value.length} bytes: the map wants ${this.#room()}`);
    }
    checked("bpf_map_update_elem", libbpf().bpf_map_update_elem(this.fd, key, value, 0));
  }

  /** A copy of the value, or of one for each processor; undefined if there is none. */
  lookup(key: Uint8Array): Uint8Array | undefined {
    this.#checkKey(key);
    const value = new Uint8Array(this.#room());
    if (libbpf().bpf_map_lookup_elem(this.fd, key, value) >= 0) return value;
    if (lastErrno() === ENOENT) return undefined;
    throw new SyscallError("bpf_map_lookup_elem", lastErrno());
  }

  /** Removes a value; false if there is none. */
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
