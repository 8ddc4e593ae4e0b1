/** Numbers of system calls by their names. */
export type CallNumbers = ReadonlyMap<string, number>;

/** Headers of the kernel that say the numbers of one kind of code. */
export interface NumberHeader {
  /** The folder that `asm` and `asm-generic` lie in. */
  readonly folder: string;
  /** The header in it, as a program includes it. */
  readonly header: string;
  /** Macros of the compiler that this kind of code has. */
  readonly macros: readonly string[];
  /** Debian's package of them. */
  readonly debianPackage: string;
}

const MARK = "svc_number";

/**
 * Asks the C preprocessor for the numbers of names: the headers define some by others, and by sums.
 *
 * @throws Error if there are no such headers, or no compiler.
 */
export function callNumbers(
  { folder, header, macros, debianPackage }: NumberHeader,
  names: readonly string[],
): CallNumbers {
  const source = [`#include <${header}>`, ...names.map((name) => `${MARK} ${name} = __NR_${name}`)];
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["gcc", "-E", "-P", "-undef", "-nostdinc", "-I", folder, ...macros.map((x) => `-D${x}`), "-"],
    { stdin: new TextEncoder().encode(`${source.join("\n")}\n`) },
  );
  if (exitCode === 0) return numbersIn(stdout.toString());
  const hint = `they are of Debian's package ${debianPackage}, and gcc reads them`;
  throw new Error(`read system call numbers of ${folder}/${header}: ${stderr.toString()}: ${hint}`);
}

/**
 * The numbers in lines such as `svc_number read = (0x40000000 + 0)`; a name that stayed one is of
 * no call there.
 */
export function numbersIn(text: string): CallNumbers {
  const lines = text.matchAll(new RegExp(`^${MARK} (\\w+) = ([^\\n]+)$`, "gm"));
  return new Map(
    [...lines].flatMap(([, name = "", words = ""]) => {
      if (words.trim() === `__NR_${name}`) return [];
      return [[name, sumOf(name, words)]];
    }),
  );
}

function sumOf(name: string, words: string): number {
  const terms = words.replaceAll(/[()\s]/g, "").split("+");
  if (terms.every((term) => /^(0x[0-9a-fA-F]+|\d+)$/.test(term))) {
    return terms.reduce((sum, term) => sum + Number(term), 0);
  }
  throw new Error(`read the number of ${name}: got "${words}", want a number or a sum of numbers`);
}
