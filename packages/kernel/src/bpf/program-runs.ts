import { checked } from "../libc/syscall-error.ts";
import { libbpf } from "./libbpf.ts";

// enum bpf_stats_type of linux/bpf.h.
const BPF_STATS_RUN_TIME = 0;
// struct bpf_prog_info of linux/bpf.h. The kernel's may be longer or shorter: it writes the fields
// that it knows.
const INFO_BYTES = 232;
const RUN_TIME_AT = 192;
const RUN_COUNT_AT = 200;
const MISSES_AT = 208;

/** The runs of a program since it was loaded; zeros if the kernel does not count them. */
export interface ProgramRuns {
  readonly runs: bigint;
  readonly nanoseconds: bigint;
  /**
   * Times that it was not run because it already ran on that processor. Always counted, from Linux
   * 5.12 on.
   */
  readonly misses: bigint;
}

/**
 * Has the kernel measure the runs of all BPF programs of the machine, until the descriptor is
 * closed; BPF_ENABLE_STATS of bpf(2). It makes every run some 20 ns longer.
 *
 * @throws SyscallError without CAP_SYS_ADMIN.
 */
export function measurePrograms(): number {
  return checked("bpf_enable_stats", libbpf().bpf_enable_stats(BPF_STATS_RUN_TIME));
}

/** @param fd a program's. */
export function programRuns(fd: number): ProgramRuns {
  const info = new DataView(new ArrayBuffer(INFO_BYTES));
  const length = new Uint32Array([INFO_BYTES]);
  const bytes = new Uint8Array(info.buffer);
  checked("bpf_obj_get_info_by_fd", libbpf().bpf_obj_get_info_by_fd(fd, bytes, length));
  return {
    runs: info.getBigUint64(RUN_COUNT_AT, true),
    nanoseconds: info.getBigUint64(RUN_TIME_AT, true),
    misses: info.getBigUint64(MISSES_AT, true),
  };
}
