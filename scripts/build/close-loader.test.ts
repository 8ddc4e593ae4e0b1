import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { needsRoot } from "@svc/testing";
import { closeLoader } from "./close-loader.ts";
import { ElfFile } from "./elf.ts";

const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
const libraries = `/usr/lib/${triplet}`;
const loaderPath = new ElfFile(new Uint8Array(readFileSync("/bin/true"))).interpreter;

let folder: string;
beforeAll(() => {
  // Short: it takes the place of the loader's own folder.
  folder = mkdtempSync("/tmp/l-");
  const closed = new Uint8Array(readFileSync(loaderPath));
  closeLoader(closed, `${folder}/`);
  writeFileSync(join(folder, "closed.so"), closed);
  chmodSync(join(folder, "closed.so"), 0o755);
  symlinkSync(loaderPath, join(folder, "plain.so"));
  for (const name of ["libc.so.6", "libm.so.6"]) {
    symlinkSync(join(libraries, name), join(folder, name));
  }
  mkdirSync(join(folder, "wrong"));
  writeFileSync(join(folder, "wrong/libm.so.6"), "no library");
  compile("says-steered.c", "steers.so", ["-shared", "-fPIC"]);
  for (const name of ["closed", "plain"]) {
    compile("prints-loading.c", name, [`-Wl,--dynamic-linker=${folder}/${name}.so`, "-lm"]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a program with the closed loader", () => {
  // `@` stands for the test's folder. `steers`: what shows that the plain loader obeys it.
  const rows: readonly (readonly [
    name: string,
    env: Readonly<Record<string, string>>,
    steers?: RegExp,
  ])[] = [
    ["no variable", {}],
    ["a variable without a meaning", { HOME: "/root" }],
    ["LD_PRELOAD", { LD_PRELOAD: "@/steers.so" }, /^steered/],
    ["LD_PRELOAD of a missing file", { LD_PRELOAD: "@/none.so" }, /cannot be preloaded/],
    ["LD_LIBRARY_PATH", { LD_LIBRARY_PATH: "@/wrong" }, /libm\.so\.6: file too short/],
    ["LD_AUDIT", { LD_AUDIT: "@/none.so" }, /audit interface/],
    ["LD_DEBUG", { LD_DEBUG: "all" }, /symbol=/],
    ["LD_SHOW_AUXV", { LD_SHOW_AUXV: "1" }, /AT_PHDR/],
    ["LD_TRACE_LOADED_OBJECTS", { LD_TRACE_LOADED_OBJECTS: "1" }, /libc\.so\.6 =>/],
    ["MALLOC_PERTURB_", { MALLOC_PERTURB_: "85" }, /fresh aa/],
    ["GLIBC_TUNABLES", { GLIBC_TUNABLES: "glibc.malloc.perturb=85" }, /fresh aa/],
  ];
  for (const [name, template, steers] of rows) {
    const environment = () =>
      Object.entries(template).map(([key, value]) => [key, value.replace("@", folder)] as const);

    test(`is not steered by ${name}, and finds it where the kernel left it`, () => {
      const { exitCode, output, complaints } = run("closed", environment());
      expect({ exitCode, complaints }).toEqual({ exitCode: 7, complaints: "" });
      expect(output).toContain("alignment 0\npage 4096\nfresh 00\ncosine 0.540\n");
      expect(factsOf("libc", output)).toEqual([]);
      expect(factsOf("kernel", output)).toEqual(environment().map((entry) => entry.join("=")));
      expect(output.startsWith("argument")).toBe(true);
    });

    if (steers !== undefined) {
      test(`is steered by ${name} with the plain loader`, () => {
        const { output, complaints } = run("plain", environment());
        expect(output + complaints).toMatch(steers);
      });
    }
  }

  // It mounts something over /proc.
  needsRoot(test)("ends with a line of its own where there is no /proc", () => {
    const hidden = 'mount -t tmpfs none /proc && exec "$0"';
    const cmd = ["unshare", "--mount", "sh", "-c", hidden, join(folder, "closed")];
    const { exitCode, stdout, stderr } = Bun.spawnSync({ cmd });
    expect({ exitCode, output: stdout.toString() }).toEqual({ exitCode: 125, output: "" });
    expect(stderr.toString()).toBe(
      "svc-wrapper: start: /proc is not mounted: nothing can be started without it\n",
    );
  });

  for (const count of [0, 1, 2, 3, 1000]) {
    test(`finds ${count} arguments, and a stack that is aligned`, () => {
      const words = Array.from({ length: count }, (_, index) => `word ${index}`);
      const { exitCode, output } = run("closed", [["A", "1"]], words);
      expect(exitCode).toBe(7);
      expect(factsOf("argument", output).slice(1)).toEqual(words);
      expect(output).toContain("alignment 0\n");
    });
  }

  test("has its libraries from the one folder, and the plain one from the default folders", () => {
    rmSync(join(folder, "libm.so.6"));
    try {
      const closed = run("closed", []);
      expect(closed.exitCode).toBe(127);
      expect(closed.complaints).toContain("cannot read file data");
      expect(run("plain", []).exitCode).toBe(7);
    } finally {
      symlinkSync(join(libraries, "libm.so.6"), join(folder, "libm.so.6"));
    }
  });
});

describe("closeLoader", () => {
  const refused: readonly (readonly [
    name: string,
    bytes: () => Uint8Array,
    folder: string,
    message: RegExp,
  ])[] = [
    ["a program", () => read("/bin/true"), "/opt/", /^close loader: it does not hold/],
    ["what is no ELF file", () => read("/etc/passwd"), "/opt/", /^not an ELF-64/],
    ["a folder with a long path", () => read(loaderPath), "/a".repeat(20), /^no room for the fold/],
  ];
  for (const [name, bytes, target, message] of refused) {
    test(`refuses ${name}`, () => {
      expect(() => closeLoader(bytes(), target)).toThrow(message);
    });
  }

  test("refuses a loader that is closed already", () => {
    expect(() => closeLoader(read(join(folder, "closed.so")), "/opt/")).toThrow(TypeError);
  });

  test("changes the code nowhere but at the entry", () => {
    const [before, after] = [read(loaderPath), read(join(folder, "closed.so"))];
    expect(after).toHaveLength(before.length);
    const code = new ElfFile(before).segments().find(({ flags }) => (flags & 1) !== 0);
    const [start, end] = [code?.offset ?? 0, (code?.offset ?? 0) + (code?.fileBytes ?? 0)];
    expect(end).toBeGreaterThan(start);
    if (process.arch === "x64") {
      expect(Bun.hash(after.subarray(start, end))).toBe(Bun.hash(before.subarray(start, end)));
    }
  });
});

function read(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}

function compile(source: string, name: string, flags: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync({
    cmd: [
      ...["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", join(folder, name)],
      ...[join(import.meta.dir, "testdata", source), ...flags],
    ],
  });
  if (exitCode !== 0) throw new Error(`compile ${source}: ${stderr}`);
}

function run(
  program: string,
  env: readonly (readonly [string, string])[],
  words: readonly string[] = [],
) {
  const { exitCode, stdout, stderr } = Bun.spawnSync({
    cmd: [join(folder, program), ...words],
    env: Object.fromEntries(env),
  });
  return { exitCode, output: stdout.toString(), complaints: stderr.toString() };
}

function factsOf(name: string, output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => line.startsWith(`${name} `));
  return lines.map((line) => line.slice(name.length + 1));
}
