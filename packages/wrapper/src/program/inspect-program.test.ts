import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needsRoot, temporaryFolder } from "@svc/testing";
import { inspectProgram } from "./inspect-program.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("inspectProgram", () => {
  test("sees a dynamically linked program and its loader", () => {
    const { elf, readable } = inspect("/bin/true");
    expect(elf).toMatchObject({ bits: 64, dynamic: true });
    expect(elf?.loader).toStartWith("/lib");
    expect(readable).toBe(true);
  });

  test("sees a static program", () => {
    const path = at("static");
    const source = at("static.c");
    writeFileSync(source, "int main(void) { return 0; }\n");
    expect(Bun.spawnSync(["gcc", "-static", "-o", path, source]).exitCode).toBe(0);
    expect(inspect(path).elf).toMatchObject({ bits: 64, loader: undefined, dynamic: false });
  });

  for (const [options, sanitizer] of [
    [["-fsanitize=address"], "libasan.so"],
    [["-fsanitize=address", "-no-pie"], "libasan.so"],
    [["-fsanitize=undefined"], undefined],
    [["-lm", "-Wl,--no-as-needed"], undefined],
  ] as const) {
    test(`sees AddressSanitizer in a program by gcc ${options.join(" ")}`, () => {
      const [path, source] = [at(`sanitized-${options.join("")}`), at("sanitized.c")];
      writeFileSync(source, "int main(void) { return 0; }\n");
      expect(Bun.spawnSync(["gcc", ...options, "-o", path, source]).exitCode).toBe(0);
      const found = inspect(path).elf?.sanitizer;
      if (sanitizer === undefined) expect(found).toBeUndefined();
      else expect(found).toStartWith(sanitizer);
    });
  }

  test("sees a program of 32 bits", () => {
    const bytes = readFileSync("/bin/true");
    bytes[4] = 1;
    expect(inspect(written("thirty-two", bytes)).elf).toMatchObject({ bits: 32 });
  });

  const scripts: readonly (readonly [name: string, text: string, elf: boolean])[] = [
    ["a script of a shell", "#!/bin/sh\nexit 0\n", true],
    ["a script with spaces and an option", "#! /bin/bash -e\nexit 0\n", true],
    ["a script by way of env", "#!/usr/bin/env python3\n", true],
    ["a script of another interpreter", "#!/bin/true\n", true],
    ["a script without a line end", "#!/bin/sh", true],
    ["a script whose interpreter is missing", "#!/nonexistent\n", false],
    ["a script that names nothing", "#!\n", false],
    ["text", "echo hello\n", false],
    ["nothing", "", false],
    ["the beginning of an ELF file", "\x7fELF", false],
  ];
  for (const [name, text, elf] of scripts) {
    test(`looks behind ${name}`, () => {
      const facts = inspect(written(`script-${name.replaceAll(" ", "-")}`, text));
      expect(facts.elf !== undefined).toBe(elf);
    });
  }

  test("gives up on scripts that lead in a circle", () => {
    const path = at("circle");
    writeFileSync(path, `#!${path}\n`, { mode: 0o755 });
    expect(inspect(path).elf).toBeUndefined();
  });

  test("does not take a root-owned set-user-ID program for one that gives root more", () => {
    const path = at("set-user-id");
    copyFileSync("/bin/true", path);
    chmodSync(path, 0o4755);
    expect(inspect(path).raisesPrivileges).toBe(false);
  });

  // It gives a file a capability.
  needsRoot(test)("sees file capabilities", () => {
    const path = at("capable");
    copyFileSync("/bin/true", path);
    expect(Bun.spawnSync(["setcap", "cap_net_raw+ep", path]).exitCode).toBe(0);
    expect(inspect(path).raisesPrivileges).toBe(true);
  });
});

function inspect(path: string) {
  const encoder = new TextEncoder();
  return inspectProgram(encoder.encode(path));
}

function written(name: string, content: string | Uint8Array): string {
  const path = at(name);
  writeFileSync(path, content, { mode: 0o755 });
  return path;
}

function at(name: string): string {
  return join(folder.path, name);
}
