import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { ElfFile } from "./elf.ts";
import { hardenRuntime } from "./harden-runtime.ts";

const COMPILE_DEADLINE_MS = 60_000;

let folder: TemporaryFolder;
let hardened: Uint8Array;
let hardenedProgram: string;
let plainProgram: string;

beforeAll(() => {
  folder = temporaryFolder();
  hardened = new Uint8Array(readFileSync(process.execPath));
  hardenRuntime(hardened);
  const runtime = join(folder.path, "bun");
  writeFileSync(runtime, hardened);
  chmodSync(runtime, 0o755);
  hardenedProgram = compile(runtime, "hardened");
  plainProgram = compile(process.execPath, "plain");
  writeFileSync(join(folder.path, "evil.js"), 'process.stdout.write("steered");');
}, COMPILE_DEADLINE_MS);
afterAll(() => folder[Symbol.dispose]());

describe("hardenRuntime", () => {
  for (const name of ["getenv", "secure_getenv", "signal", "setrlimit"]) {
    test(`leaves no call to ${name}`, () => {
      expect(callsTo(new Uint8Array(readFileSync(process.execPath)), name)).toBeGreaterThan(0);
      expect(callsTo(hardened, name)).toBe(0);
    });
  }

  for (const name of ["environ", "__environ", "_environ"]) {
    test(`leaves no symbol ${name} that libc would fill`, () => {
      expect(new ElfFile(hardened).symbols(name)).toEqual([]);
    });
  }

  test("keeps every other relocation", () => {
    const before = new ElfFile(new Uint8Array(readFileSync(process.execPath))).relocations();
    const after = new ElfFile(hardened).relocations();
    const changed = after.filter((item, index) => !Bun.deepEquals(item, before[index]));
    expect(after).toHaveLength(before.length);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(50);
  });

  const refused: readonly (readonly [name: string, path: string, message: RegExp])[] = [
    ["a file that is not an executable", "/etc/passwd", /^not an ELF-64/],
    ["an executable that does not import the functions", "/bin/true", /does not import both$/],
  ];
  for (const [name, path, message] of refused) {
    test(`refuses ${name}`, () => {
      const harden = () => hardenRuntime(new Uint8Array(readFileSync(path)));
      expect(harden).toThrow(TypeError);
      expect(harden).toThrow(message);
    });
  }

  test("refuses an executable that is hardened already", () => {
    expect(() => hardenRuntime(hardened.slice())).toThrow(TypeError);
  });
});

describe("a compiled program", () => {
  // `@` stands for the test's folder. `steers`: the text which shows that the plain program obeys
  // it.
  const rows: readonly (readonly [
    name: string,
    env: Readonly<Record<string, string>>,
    steers?: RegExp,
  ])[] = [
    ["nothing special", { HOME: "/root", PATH: "/usr/bin:/bin" }],
    ["BUN_OPTIONS", { BUN_OPTIONS: "--preload=@/evil.js" }, /steered/],
    ["BUN_BE_BUN", { BUN_BE_BUN: "1" }, /Script not found|Module not found/],
    ["BUN_INSPECT_PRELOAD", { BUN_INSPECT_PRELOAD: "@/evil.js" }],
    ["NODE_OPTIONS", { NODE_OPTIONS: "--require=@/evil.js" }],
    ["JavaScriptCore's options", { BUN_JSC_dumpOptions: "1" }, /Modified JSC options/],
    ["the allocator's options", { MIMALLOC_VERBOSE: "1" }],
    ["a proxy", { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" }],
  ];
  for (const [name, template, steers] of rows) {
    const env = () =>
      Object.fromEntries(
        Object.entries(template).map(([key, value]) => [key, value.replace("@", folder.path)]),
      );

    test(`is not steered by ${name}, and sees no environment`, () => {
      const { output, complaints } = run(hardenedProgram, env());
      expect(complaints).toBe("");
      expect(JSON.parse(output)).toMatchObject({ env: {}, execArgv: [], words: ["--a", "b"] });
    });

    test(`leaves ${name} in the place that libc and its children read`, () => {
      const entries = Object.entries(env()).map(([key, value]) => `${key}=${value}`);
      expect(JSON.parse(run(hardenedProgram, env()).output)).toMatchObject({
        initialEnvironment: entries,
      });
    });

    if (steers !== undefined) {
      test(`is steered by ${name} if it is not hardened`, () => {
        const { output, complaints } = run(plainProgram, env());
        expect(output + complaints).toMatch(steers);
      });
    }
  }

  test("finds the dispositions and limits that it was started with", () => {
    const { output } = run(hardenedProgram, {}, ["prlimit", "--nofile=256:1024"]);
    const { ignoredSignals, openFiles } = JSON.parse(output);
    // Signal 32 belongs to glibc, and the test runner's posix_spawn may have left it ignored.
    expect(BigInt(`0x${ignoredSignals}`) & ~(1n << 31n)).toBe(0n);
    expect(openFiles).toBe("256");
  });
});

function callsTo(bytes: Uint8Array, name: string): number {
  const elf = new ElfFile(bytes);
  const symbols = elf.symbols(name);
  return elf.relocations().filter(({ symbol }) => symbols.includes(symbol)).length;
}

function compile(runtime: string, name: string): string {
  const target = join(folder.path, name);
  const entry = join(import.meta.dir, "testdata/prints-surroundings.ts");
  const { exitCode, stderr } = Bun.spawnSync({
    cmd: [
      ...[process.execPath, "build", "--compile", `--compile-executable-path=${runtime}`],
      ...[entry, "--outfile", target],
    ],
    cwd: folder.path,
  });
  if (exitCode !== 0) throw new Error(`compile ${name}: ${stderr}`);
  return target;
}

function run(
  program: string,
  env: Readonly<Record<string, string>>,
  through: readonly string[] = [],
): { readonly output: string; readonly complaints: string } {
  const cmd = [...through, program, "--a", "b"];
  const { stdout, stderr } = Bun.spawnSync({ cmd, env, cwd: folder.path });
  return { output: stdout.toString(), complaints: stderr.toString() };
}
