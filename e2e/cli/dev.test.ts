import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";

const svc = join(import.meta.dirname, "../../dist/bin/svc");
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const files = {
  "one.env": 'DB_PASSWORD="correct horse"\nAPI_KEY=k-1\n',
  "two.yaml": "secret/data/db:\n  password: p\nsecret/data/api:\n  key: k\n",
  "one.json": '{"LIST": [1, 2], "ON": true}',
  "comma.yaml": "secret/data/x,y#1*?%:\n  k: v\n",
  "bad.env": "A=1\nnot a line\nA=2\n",
} as const;
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);

interface Run {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: nothing. */
  readonly stdin?: string;
}

async function run({ words, environment = {}, stdin }: Run) {
  const child = Bun.spawn([svc, ...words], {
    cwd: folder.path,
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

const sh = (script: string) => ["--", "sh", "-c", script];
const dev = (file: string, script: string) => ["dev", "--secrets", file, ...sh(script)];

const delivered = [
  [
    "every field of a flat file is a variable",
    { words: dev("one.env", 'echo "$DB_PASSWORD,$API_KEY"') },
    "correct horse,k-1\n",
  ],
  [
    "a file with paths gives several secrets",
    { words: dev("two.yaml", 'echo "$password,$key"') },
    "p,k\n",
  ],
  ["a path may have every character", { words: dev("comma.yaml", 'echo "$k"') }, "v\n"],
  [
    "lists and booleans are JSON text",
    { words: dev("one.json", 'echo "$LIST,$ON"') },
    "[1,2],true\n",
  ],
  [
    "standard input may have lines",
    { words: dev("-", 'echo "$A"'), stdin: "A='from a pipe'\n" },
    "from a pipe\n",
  ],
  [
    "standard input may have JSON",
    { words: dev("-", 'echo "$A"'), stdin: '{"A":"json"}' },
    "json\n",
  ],
  [
    "SVC_ENV_MAP renames the fields",
    { words: dev("two.yaml", 'echo "$A,$B"'), environment: { SVC_ENV_MAP: "password=A;key=B" } },
    "p,k\n",
  ],
  [
    "empty variables count as not set",
    { words: dev("one.env", 'echo "$API_KEY"'), environment: { SVC_ENV_MAP: "", HEALTH_ADDR: "" } },
    "k-1\n",
  ],
  [
    "the program sees neither the store's token nor that of another vault",
    {
      words: dev("one.env", 'echo "$VAULT_TOKEN,$VAULT_ADDR"'),
      environment: { VAULT_TOKEN: "mine" },
    },
    ",\n",
  ],
] as const satisfies readonly (readonly [string, Run, string])[];

describe("svc dev", () => {
  for (const [name, what, output] of delivered) {
    test(name, async () => {
      const { exitCode, stdout, stderr } = await run(what);
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: output });
      expect(stderr).toContain("development only");
      expect(stderr).not.toContain("correct horse");
    });
  }

  test("takes a pipe that has a path", async () => {
    const script = `exec "$0" dev --secrets <(echo A=piped) -- sh -c 'echo "$A"'`;
    const child = Bun.spawn(["bash", "-c", script, svc], { stderr: "ignore", stdin: "ignore" });
    expect(await new Response(child.stdout).text()).toBe("piped\n");
  });

  test("says that 200,000 variables are too many", async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `VARIABLE_${index}=v\n`);
    const { exitCode, stderr } = await run({ words: dev("-", "true"), stdin: lines.join("") });
    expect(exitCode).toBe(125);
    expect(stderr).toContain("OUT_OF_MEMORY");
    expect(stderr).toContain("20,000 fit");
  });

  test("ends with the program's own status", async () => {
    expect((await run({ words: dev("one.env", "exit 42") })).exitCode).toBe(42);
    expect((await run({ words: dev("one.env", "kill -9 $$") })).exitCode).toBe(137);
  });

  const refused = [
    ["a file that is not there", dev("none.env", "true"), 'read secrets file "none.env": ENOENT'],
    ["mistakes in a file, all of them with their lines", dev("bad.env", "true"), "bad.env:2: "],
    ["no .env if none is named", ["dev", ...sh("true")], "pass --secrets FILE"],
    ["no program", ["dev", "--secrets", "one.env"], "missing required argument"],
    ["an unknown option", ["dev", "--secretz", "x", ...sh("true")], "unknown option"],
    ["an invalid port", ["dev", "--port", "x", ...sh("true")], "must be a port"],
    [
      "a wrapper that is not there",
      ["dev", "--secrets", "one.env", "--wrapper", "/no", ...sh("true")],
      'start "/no"',
    ],
  ] as const;
  for (const [name, words, message] of refused) {
    test(`refuses ${name} with 125`, async () => {
      const { exitCode, stderr } = await run({ words });
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 125 });
      expect(stderr).toContain(message);
    });
  }
});
