import { expect, test } from "bun:test";
import { interposer } from "../harness/programs/preload-stage.ts";

/** All symbols that the interposer exports. */
const exported = [
  ...["execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve"],
  ...["getenv", "pclose", "popen", "posix_spawn", "posix_spawnp", "secure_getenv", "system"],
];

test("the interposer needs no library and no version of a symbol", () => {
  const dynamic = readelf("--dynamic");
  expect(dynamic).not.toContain("(NEEDED)");
  expect(dynamic).not.toContain("(VERNEED)");
  expect(dynamic).not.toContain("(TEXTREL)");
});

test("the interposer binds everything before it runs, and comes first", () => {
  const dynamic = readelf("--dynamic");
  expect(dynamic).toContain("BIND_NOW");
  expect(dynamic).toContain("INITFIRST");
  const segments = readelf("--program-headers");
  expect(segments).toContain("GNU_RELRO");
  expect(segments).toMatch(/GNU_STACK.* RW +0x/);
  expect(segments).not.toContain("RWE");
});

test("the interposer defines the functions that it replaces, and nothing else", () => {
  const defined = symbols().filter(([section]) => section !== "UND");
  expect(defined.map(([, name]) => name).sort()).toEqual([...exported].sort());
});

test("the interposer's callees are in glibc and in musl", () => {
  const needed = called().map(([, name]) => name);
  const musl = new Set(symbols("/lib/ld-musl-x86_64.so.1").map(([, name]) => name));
  expect(needed.filter((name) => !musl.has(name))).toEqual([]);
});

test("the interposer can do without all that it calls, in a program without libc", () => {
  expect(called().filter(([, , binding]) => binding !== "WEAK")).toEqual([]);
});

type ElfSymbol = readonly [section: string, name: string, binding: string];

/** The first symbol of every table has no name and means nothing. */
function called(): readonly ElfSymbol[] {
  return symbols().filter(([section, name]) => section === "UND" && name !== "");
}

function symbols(object = interposer): readonly ElfSymbol[] {
  return readelf("--dyn-syms", object)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length >= 8 && /^\d+:$/.test(words[0] ?? ""))
    .map((words) => [words[6] ?? "", words[7] ?? "", words[4] ?? ""] as const);
}

function readelf(what: string, object = interposer): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["readelf", "-W", what, object]);
  expect(exitCode, stderr.toString()).toBe(0);
  return stdout.toString();
}
