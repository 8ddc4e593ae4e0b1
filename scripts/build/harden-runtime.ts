import { ElfFile } from "./elf.ts";

/** Relocation types of the two architectures; the x86-64 and AArch64 ABI supplements. */
const relocationTypes = {
  62: { copy: 5, relative: 8 },
  183: { copy: 1024, relative: 1027 },
} as const;

/**
 * The stand-ins that the runtime calls instead. Each takes the same registers, has no effect, and
 * returns a value that means "no" to the caller.
 */
const standIns = {
  // mimalloc and WebKit look for options of theirs; dlerror(3) returns NULL while nothing failed.
  getenv: "dlerror",
  secure_getenv: "dlerror",
  // Bun ignores SIGPIPE and SIGXFSZ before any JS runs; the program must find its own dispositions.
  signal: "getpid",
  // Bun raises RLIMIT_NOFILE to its hard limit; the program must find its own limit.
  setrlimit: "getrlimit",
} as const;

/** The names under which libc publishes the environment. */
const environmentNames = ["environ", "__environ", "_environ"] as const;

// e_ident[8..15] of an ELF-64 header is padding: eight bytes that are mapped, read-only and zero.
const ZERO_WORD_IN_HEADER = 8n;

/**
 * Closes a Bun executable to its surroundings, in place. It sees an empty environment, so that
 * BUN_OPTIONS, BUN_BE_BUN, NODE_OPTIONS, BUN_JSC_*, MIMALLOC_*, HTTPS_PROXY and later variables
 * cannot steer a compiled program. It leaves signal dispositions and resource limits as they were.
 * libc keeps the real environment, in which packages/kernel reads it by address.
 *
 * @throws TypeError if the executable is not as expected, for example after a change of version.
 */
export function hardenRuntime(bytes: Uint8Array): void {
  const elf = new ElfFile(bytes);
  for (const [name, standIn] of Object.entries(standIns)) redirectCalls(elf, name, standIn);
  hideEnvironment(elf);
}

function redirectCalls(elf: ElfFile, name: string, standIn: string): void {
  const from = elf.symbols(name);
  const [to] = elf.symbols(standIn);
  const calls = elf.relocations().filter(({ symbol }) => from.includes(symbol));
  if (to === undefined || calls.length === 0) {
    throw new TypeError(`redirect ${name} to ${standIn}: the executable does not import both`);
  }
  for (const call of calls) elf.setSymbol(call, to);
}

/**
 * The executable has a copy of `environ` that libc fills because the dynamic linker finds the name
 * in the executable first. Without its name libc fills its own, and the copy is pointed at a NULL.
 */
function hideEnvironment(elf: ElfFile): void {
  const types = Object.entries(relocationTypes).find(
    ([machine]) => Number(machine) === elf.machine,
  );
  if (types === undefined) throw new TypeError(`hide environment: unknown machine ${elf.machine}`);
  const [, { copy, relative }] = types;
  const symbols = environmentNames.flatMap((name) => elf.symbols(name));
  const uses = elf.relocations().filter(({ symbol }) => symbols.includes(symbol));
  const own = uses.find(({ type }) => type === copy);
  if (own === undefined) throw new TypeError("hide environment: the executable has no copy of it");
  elf.setRelative(own, relative, elf.loadAddress + ZERO_WORD_IN_HEADER);
  for (const use of uses) if (use !== own) elf.setRelative(use, relative, own.offset);
  for (const symbol of symbols) elf.hideSymbol(symbol);
}
