import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { importsLibrary, libraryModule } from "./go-build-info.ts";

const BUILD_DEADLINE_MS = 180_000;

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  writeSources(folder.path);
  build("app", "with");
  build("app", "stripped", "-ldflags=-s -w");
  build("app", "trimmed", "-trimpath");
  build("app", "position-independent", "-buildmode=pie");
  build("plain", "without");
  build("namesake", "namesake");
  build("secrets/cmd", "part");
  const whole = readFileSync(join(folder.path, "with"));
  for (const [name, bytes] of [
    ["empty", whole.subarray(0, 0)],
    ["headless", whole.subarray(0, 40)],
    ["cut-in-half", whole.subarray(0, whole.length >> 1)],
    ["text", Buffer.from(`#!/bin/sh\ndep\t${libraryModule}\tv1\n`)],
    ["other-magic", replaced(whole, "\xff Go buildinf:", "\xff Go buildinf;")],
    ["pointers", replaced(whole, "\xff Go buildinf:\x08\x02", "\xff Go buildinf:\x08\x00")],
    ["garbage", Buffer.concat([whole.subarray(0, 16), crypto.getRandomValues(Buffer.alloc(4096))])],
  ] as const) {
    writeFileSync(join(folder.path, name), bytes);
  }
}, BUILD_DEADLINE_MS);
afterAll(() => folder[Symbol.dispose]());

describe("importsLibrary", () => {
  // `@` stands for the test's folder.
  const rows: readonly (readonly [name: string, path: string, imports: boolean])[] = [
    ["a Go program with the library", "@/with", true],
    ["one without symbols and debug information", "@/stripped", true],
    ["one without paths", "@/trimmed", true],
    ["one that is position-independent", "@/position-independent", true],
    ["a program that is part of the library's module", "@/part", true],
    ["a Go program without the library", "@/without", false],
    ["one with a module whose name begins like the library's", "@/namesake", false],
    ["a program of another language", "/bin/sh", false],
    ["a script that names the module", "@/text", false],
    ["an empty file", "@/empty", false],
    ["a file that ends in its header", "@/headless", false],
    ["a program that is cut off", "@/cut-in-half", false],
    ["a header before random bytes", "@/garbage", false],
    ["a program whose section begins with another word", "@/other-magic", false],
    ["a program of Go 1.17, whose section has pointers", "@/pointers", false],
    ["a folder", "@", false],
    ["a file that is not there", "@/absent", false],
  ];
  for (const [name, path, imports] of rows) {
    test(`says ${imports ? "yes" : "no"} to ${name}, and leaves no descriptor`, () => {
      const before = readdirSync("/proc/self/fd").length;
      expect(importsLibrary(new TextEncoder().encode(path.replace("@", folder.path)))).toBe(
        imports,
      );
      // Another test's may have been closed meanwhile.
      expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
    });
  }
});

/** A copy with other bytes in the one place that has these. */
function replaced(whole: Buffer, from: string, to: string): Buffer {
  const at = whole.indexOf(Buffer.from(from, "latin1"));
  if (at < 0) throw new Error(`the program has no ${JSON.stringify(from)}`);
  const copy = Buffer.from(whole);
  copy.write(to, at, "latin1");
  return copy;
}

function writeSources(root: string): void {
  const replace = `require ${libraryModule} v0.0.0\nreplace ${libraryModule} => ../secrets\n`;
  const similar = `${libraryModule}x`;
  const files = {
    "secrets/go.mod": module(libraryModule),
    "secrets/secrets.go": "package secrets\n",
    "secrets/cmd/main.go": program(libraryModule),
    "app/go.mod": module("example.com/app", replace),
    "app/main.go": program(libraryModule),
    "plain/go.mod": module("example.com/plain"),
    "plain/main.go": "package main\n\nfunc main() {}\n",
    "similar/go.mod": module(similar),
    "similar/similar.go": "package secretsx\n",
    "namesake/go.mod": module(
      "example.com/namesake",
      `require ${similar} v0.0.0\nreplace ${similar} => ../similar\n`,
    ),
    "namesake/main.go": program(similar),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function module(name: string, more = ""): string {
  return `module ${name}\n\ngo 1.21\n${more}`;
}

function program(imported: string): string {
  return `package main\n\nimport _ "${imported}"\n\nfunc main() {}\n`;
}

function build(source: string, output: string, ...flags: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync({
    cmd: ["go", "build", ...flags, "-o", join(folder.path, output), "."],
    cwd: join(folder.path, source),
    // Nothing is fetched, and nothing of the developer's settings is used.
    env: { ...Bun.env, CGO_ENABLED: "0", GOPROXY: "off", GOFLAGS: "", GOWORK: "off" },
  });
  if (exitCode !== 0) throw new Error(`go build ${source}: ${stderr}`);
}
