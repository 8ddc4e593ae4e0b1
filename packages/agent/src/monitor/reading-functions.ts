import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BpfMap } from "@svc/kernel";
import { type KernelParameter, KernelTypes } from "./kernel-types.ts";

const FOLDER = "/sys/kernel/btf";
const KERNEL = "vmlinux";

/**
 * Numbers of the functions by which BPF programs read any address, of two kinds:
 *
 * - A parameter points to constant data, and the verifier does not check it (its name ends in
 *   `__ign`, Documentation/bpf/kfuncs.rst). Examples are bpf_rdonly_cast (Linux 6.2),
 *   bpf_copy_from_user_str (6.12), bpf_probe_read_user_dynptr (6.16) and bpf_strcmp (6.17).
 * - A parameter is a format (`fmt__str`): with `%pus` and `%pks` it prints the text at an address.
 *   An example is bpf_stream_vprintk_impl (6.17).
 */
export function readingFunctions(types: KernelTypes): readonly number[] {
  const unlooked = types.namesEndingIn("__ign");
  const formats = types.namesEndingIn("fmt__str");
  const reads = ({ name, type }: KernelParameter) =>
    formats.has(name) || (unlooked.has(name) && types.isConstPointer(type));
  return [...types.functions()]
    .filter(({ parameters }) => parameters.some(reads))
    .map(({ number }) => number);
}

/** Those of the running kernel and of its modules; none if the kernel tells no types. */
export function readReadingFunctions(folder: string = FOLDER): readonly number[] {
  const kernel = typesIn(join(folder, KERNEL));
  if (kernel === undefined) return [];
  const modules = readdirSync(folder).filter((name) => name !== KERNEL);
  const ofModules = modules.flatMap((name) => {
    const types = typesIn(join(folder, name), kernel);
    return types === undefined ? [] : [...readingFunctions(types)];
  });
  return [...readingFunctions(kernel), ...ofModules];
}

/** Tells the programs of them, before any is attached. */
export function writeReadingFunctions(
  map: Pick<BpfMap, "update">,
  numbers: readonly number[],
): void {
  const present = Uint8Array.of(1);
  for (const number of numbers) map.update(new Uint8Array(Uint32Array.of(number).buffer), present);
}

/** Undefined if there are none: a module may have been unloaded. */
function typesIn(path: string, kernel?: KernelTypes): KernelTypes | undefined {
  try {
    return new KernelTypes(readFileSync(path), kernel);
  } catch {
    return undefined;
  }
}
