import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync } from "node:fs";
import { dirname } from "node:path";
import { startDevStore } from "@svc/devstore";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { libraryVariant } from "../harness/programs/program-variants.ts";
import { allowAtOnce } from "../harness/wrapper/slots.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type Launch, runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, store, at } = setStage();
const program = libraryVariant();
const NO_MEMFD_SECRET = ["-n", "memfd_secret=38"];
/** How Go's runtime ends a program that it cannot let go on. */
const EXIT_FATAL = 2;
allowAtOnce(8);

interface Row {
  readonly story: string;
  readonly stdout: readonly string[];
  readonly exitCode?: number;
  readonly stderr?: string;
}

const rows: Readonly<Record<string, Row>> = {
  "Open twice gives two stores of one memory": {
    story: "open-twice",
    stdout: [
      "both read the same: true true",
      "the closed one: 0 false []",
      "the other one: true true [DB_PASSWORD]",
      "opened after both: true <nil>",
    ],
  },
  "two packages open, and either may close first": {
    story: "second-package",
    stdout: [
      "closed there, read here: true true",
      "closed here, read there: true",
      "closed both: 0",
    ],
  },
  "Close under 64 goroutines that read gives whole values or none": {
    story: "close-during-use",
    stdout: ["wrong reads: 0 read and closed: true true"],
  },
  "a string that was kept after Close faults and reads nothing else": {
    story: "keep-string",
    stdout: ["kept 43"],
    exitCode: EXIT_FATAL,
    stderr: "SIGSEGV",
  },
  "a child inherits nothing once the store is open": {
    story: "children",
    stdout: [
      "before: variable true descriptor true store true <nil>",
      "after: variable false descriptor false store false <nil>",
    ],
  },
  "a program that replaces itself after Open keeps nothing": {
    story: "become-after",
    stdout: ["variable false descriptor false store false <nil>"],
  },
  "a program that replaces itself before Open has the store": {
    story: "become-before",
    stdout: ["variable true descriptor true store true <nil>"],
  },
  "bytes that are not UTF-8 stay as they are": {
    story: "not-utf8",
    stdout: ["the bytes are as they were: true"],
  },
  "a copy outlives its store until it is wiped": {
    story: "copies",
    stdout: ["after Close: true true", "after Wipe: true", "secrets: copy: the store is closed"],
  },
};

for (const [memory, startsAs] of Object.entries({ memfd_secret: [], memfd: NO_MEMFD_SECRET })) {
  describe(`a program of the library, in ${memory}:`, () => {
    for (const [what, { story, stdout, exitCode = 0, stderr = "" }] of Object.entries(rows)) {
      test.concurrent(what, async () => {
        const ended = await run({ program: [program, story], startsAs });
        const expected = memory === "memfd" ? stdout.map(withoutSecretmem) : stdout;
        expect(linesOf(ended.stdout), ended.stderr).toEqual([...expected]);
        expect(ended.exitCode, ended.stderr).toBe(exitCode);
        expect(ended.stderr).toContain(stderr);
        expect(leaksIn(ended.stderr, [password])).toEqual([]);
      });
    }
  });
}

/** The program looks for memfd_secret's descriptors. */
const withoutSecretmem = (line: string) => line.replace("descriptor true", "descriptor false");

describe("nothing that Go prints has a value:", () => {
  test.concurrent("fmt, JSON, XML, slog, and a printer that reads private fields", async () => {
    const { stdout, stderr, exitCode } = await run({ program: [program, "print"] });
    expect(exitCode, stderr).toBe(0);
    expect(stdout.toString()).toContain("printed all");
    expect(stdout.toString()).toContain("[secret]");
    expect(leaksIn(Buffer.concat([stdout, Buffer.from(stderr)]), [password])).toEqual([]);
  });

  for (const [story, what] of [
    ["panic", "panic: "],
    ["fatal", "fatal error: sync: unlock of unlocked mutex"],
  ] as const) {
    test.concurrent(`every stack after a ${story}`, async () => {
      const { stdout, stderr, exitCode } = await run({
        program: [program, story],
        more: { GOTRACEBACK: "all" },
      });
      expect(exitCode).toBe(EXIT_FATAL);
      expect(stderr).toContain(what);
      expect(stderr.split("\ngoroutine ").length).toBeGreaterThan(6);
      expect(leaksIn(stdout.toString() + stderr, [password])).toEqual([]);
    });
  }
});

const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "values with =, line ends and nothing": {
    EMPTY: "",
    EQUALS: "=a==b=",
    LINES: "one\r\ntwo\n",
    SPACE: " ",
    UNICODE: "grün 🔑 \u2028",
  },
  "1,000 secrets": Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`KEY_${index}`, `value ${index}`]),
  ),
  "a value of 10 MB": { LARGE: "x".repeat(10_000_000), SMALL: "y" },
};

for (const [what, fields] of Object.entries(values)) {
  test.concurrent(`nothing is lost of ${what}`, async () => {
    await using vault = startDevStore({ secrets: { "secret/data/app": fields } });
    const { stdout, stderr, exitCode } = await run({
      program: [program, "list"],
      more: { VAULT_ADDR: vault.address, VAULT_TOKEN: vault.token, SVC_ENV_MAP: "*=*" },
    });
    expect(exitCode, stderr).toBe(0);
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    const expected = Object.entries(fields).map(([name, text]) => `${name} ${hash(text)} true`);
    expect(linesOf(stdout)).toEqual(expected.sort());
  });
}

describe("without RLIMIT_MEMLOCK in the program", () => {
  chmodSync(dirname(at("program")), 0o755);
  copyFileSync(program, at("program"));
  const words = ["sh", "-c", `ulimit -l 0; exec ${at("program")} wait`];

  test.concurrent("Open fails, with a hint", async () => {
    // An interposer in the shell could make no region for it.
    const more = { SVC_DELIVERY: "inject" };
    const ended = await run({ program: words, startsAs: unprivileged, more });
    expect(ended.exitCode, ended.stderr).toBe(1);
    expect(ended.stderr).toContain("secrets: open: no protected memory");
    expect(ended.stderr).toContain("raise RLIMIT_MEMLOCK");
    expect(leaksIn(ended.stderr, [password, store.token])).toEqual([]);
  });
});

function run(launch: Launch & { readonly more?: Readonly<Record<string, string>> }) {
  return runWrapper({ ...launch, environment: { ...environment, ...launch.more } });
}

const linesOf = (output: Buffer) => output.toString().split("\n").filter(Boolean);
