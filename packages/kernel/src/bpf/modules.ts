import { readFileSync } from "node:fs";
import { cString } from "../libc/c-strings.ts";
import { libbpf } from "./libbpf.ts";

/** include/uapi/linux/capability.h */
const CAP_SYS_ADMIN = 21n;

/**
 * Whether the kernel lists the types of its modules for this process: it wants CAP_SYS_ADMIN,
 * beside CAP_BPF (`BPF_BTF_GET_NEXT_ID`, kernel/bpf/syscall.c).
 */
export function mayListModules(): boolean {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const [, effective = "0"] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
    return ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * Has libbpf take an object's types and functions from the kernel alone. libbpf looks in the modules
 * for each that the kernel lacks, such as a function of a later version. Before its version 1.6 it
 * fails to load an object if it may not list them. It tries that once for each object, so an attempt
 * before the load takes the failure: to find a function that does not exist.
 *
 * @param programs of one object that is not loaded, by name
 */
export function leaveModulesAlone(programs: ReadonlyMap<string, number>): void {
  const [program] = programs.values();
  if (program === undefined) return;
  libbpf().bpf_program__set_attach_target(program, 0, cString("svc_no_function"));
}
