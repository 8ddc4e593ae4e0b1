import { afterAll, describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, freePort, temporaryFolder, waitFor } from "@svc/testing";
import { CliError } from "../errors.ts";
import { type DevOptions, dev } from "./dev.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const path = (name: string): string => join(folder.path, name);
const write = (name: string, text: string): string => {
  writeFileSync(path(name), text);
  return path(name);
};

/** A program in the place of the wrapper: it notes its words and its variables, and reads a secret. */
const wrapper = write(
  "wrapper",
  `#!${process.execPath}
const { VAULT_ADDR, VAULT_TOKEN, ASKED, SVC_NOTES, STATUS } = process.env;
const headers = { "X-Vault-Token": VAULT_TOKEN };
const answer = await fetch(VAULT_ADDR + "/v1/" + ASKED, { headers });
const secret = (await answer.json()).data?.data;
await Bun.write(SVC_NOTES, JSON.stringify({ words: process.argv.slice(2), secret, ...process.env }));
process.exit(Number(STATUS));
`,
);
chmodSync(wrapper, 0o755);

const value = canary();
const flat = write("flat.env", `KEY=${value}\n`);

async function run(secrets: string, more: Partial<DevOptions> = {}) {
  const notes = path(crypto.randomUUID());
  const said: string[] = [];
  const environment = {
    ASKED: "secret/data/app",
    SVC_NOTES: notes,
    STATUS: "7",
    ...more.environment,
  };
  const status = await dev(["app", "-x"], {
    ...{ secrets, port: 0, wrapper, say: (line) => void said.push(line) },
    ...{ signals: new EventEmitter(), ...more, environment },
  });
  const noted: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(notes, "utf8"));
  return { status, said, noted };
}

describe("svc dev gives the wrapper", () => {
  test("the program's words, and ends with its status", async () => {
    const { status, noted, said } = await run(flat);
    expect(status).toBe(7);
    expect(noted["words"]).toEqual([`--end-with-parent=${process.pid}`, "--", "app", "-x"]);
    expect(said).toEqual([
      `development only: secrets of ${flat} in memory, over plain HTTP on loopback`,
    ]);
  });

  const rows = [
    ["a flat file as one secret", flat, {}, { secret: { KEY: value } }],
    ["each field as a variable of its name", flat, {}, { SVC_ENV_MAP: "*=*" }],
    ["its own path", flat, {}, { SVC_SECRET_PATHS: "secret/data/app" }],
    ["any free health port", flat, {}, { HEALTH_ADDR: "127.0.0.1:0" }],
    [
      "each path of a file with paths",
      write("two.yaml", `kv/data/db:\n  p: ${value}\nkv/data/x,y:\n  k: v\n`),
      { ASKED: "kv/data/db" },
      {
        secret: { p: value },
        SVC_SECRET_PATHS: "kv/data/db,kv/data/x%2Cy",
        SVC_ENV_MAP: "*=*;*=*",
      },
    ],
    ["your map", flat, { SVC_ENV_MAP: "KEY=B" }, { SVC_ENV_MAP: "KEY=B" }],
    [
      "defaults for empty variables",
      flat,
      { SVC_ENV_MAP: "", HEALTH_ADDR: "" },
      { SVC_ENV_MAP: "*=*", HEALTH_ADDR: "127.0.0.1:0" },
    ],
    ["your variables for the delivery", flat, { SVC_DELIVERY: "env" }, { SVC_DELIVERY: "env" }],
    ["variables of the program", flat, { VAULT_COLOUR: "red" }, { VAULT_COLOUR: "red" }],
  ] as const;
  for (const [name, file, environment, noted] of rows) {
    test(name, async () => {
      expect((await run(file, { environment })).noted).toMatchObject(noted);
    });
  }

  const others = [
    ...["VAULT_NAMESPACE", "VAULT_TOKEN_FILE", "VAULT_CACERT", "VAULT_CLIENT_KEY"],
    ...["VAULT_AUTH_ROLE", "SECRET_PATHS", "SVC_ORIGINAL_CMD"],
  ];
  test("nothing of another vault", async () => {
    const own = Object.fromEntries(others.map((name) => [name, "of another vault"]));
    const vault = { VAULT_ADDR: "https://vault.test:8200", VAULT_TOKEN: "of another vault" };
    const { noted } = await run(flat, { environment: { ...own, ...vault } });
    for (const name of others) expect({ [name]: noted[name] }).toEqual({ [name]: undefined });
    expect(noted["VAULT_ADDR"]).toStartWith("http://127.0.0.1:");
    expect(noted["secret"]).toEqual({ KEY: value });
  });

  test("a store at the port that was asked for", async () => {
    const port = freePort();
    const { noted } = await run(flat, { port });
    expect(noted["VAULT_ADDR"]).toBe(`http://127.0.0.1:${port}`);
  });
});

test("the store ends with the wrapper", async () => {
  const { noted } = await run(flat);
  const gone = await fetch(String(noted["VAULT_ADDR"])).then(
    () => "answers",
    () => "gone",
  );
  expect(gone).toBe("gone");
});

describe("a wrapper gets the signal", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
    test(`${signal}, and a program that ends by it gives 128 and its number`, async () => {
      const notes = path(crypto.randomUUID());
      const script = write(`waits-${signal}`, `#!/bin/sh\necho up > ${notes}\nexec sleep 600\n`);
      chmodSync(script, 0o755);
      const signals = new EventEmitter();
      const options = { secrets: flat, port: 0, wrapper: script, environment: {} };
      const ended = dev(["app"], { ...options, say: () => undefined, signals });
      await waitFor(() => Bun.file(notes).exists(), { deadlineMs: 10_000, what: "the script" });
      // A shell that becomes sleep(1) has the default action of each signal.
      signals.emit(signal);
      const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 };
      expect(await ended).toBe(128 + numbers[signal as keyof typeof numbers]);
    });
  }
});

describe("svc dev refuses", () => {
  const rows: readonly (readonly [string, string | undefined, Partial<DevOptions>, object])[] = [
    [
      "a file that is not there",
      path("none.env"),
      {},
      {
        code: "SECRETS_FILE_INVALID",
        problems: [`read secrets file "${path("none.env")}": ENOENT`],
      },
    ],
    [
      "each mistake of a file with its line, and without its values",
      write("bad.env", `A=1\n${value}\nB=2\nA=3\n`),
      {},
      {
        code: "SECRETS_FILE_INVALID",
        problems: [expect.stringMatching(/bad\.env:2: /), expect.stringMatching(/bad\.env:4: /)],
      },
    ],
    [
      "a wrapper that is not there",
      flat,
      { wrapper: "/no" },
      { code: "WRAPPER_MISSING", problems: ['start "/no": cannot be executed'] },
    ],
  ];
  for (const [name, secrets, more, error] of rows) {
    test(name, async () => {
      const found = await run(secrets ?? "", more).catch((thrown: unknown) => thrown);
      expect(found).toBeInstanceOf(CliError);
      expect(found).toMatchObject(error);
      expect(Bun.inspect(found)).not.toContain(value);
    });
  }

  test("a port that is taken", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const found = await run(flat, { port: server.port ?? 0 }).catch((thrown: unknown) => thrown);
    await server.stop(true);
    expect(found).toMatchObject({ code: "STORE_FAILED" });
  });

  const places = [
    [
      "a folder without .env, and says that one is missing",
      "SECRETS_FILE_MISSING",
      () => undefined,
    ],
    [
      "a .env that cannot be read, and says that it is there",
      "SECRETS_FILE_INVALID",
      (place: string) => mkdirSync(join(place, ".env")),
    ],
  ] as const;
  for (const [name, code, prepare] of places) {
    test(name, async () => {
      using place = temporaryFolder();
      prepare(place.path);
      const before = process.cwd();
      process.chdir(place.path);
      try {
        const options = { port: 0, wrapper, environment: {}, signals: new EventEmitter() };
        const run = dev(["app"], { ...options, say: () => undefined });
        expect(await run.catch((thrown: unknown) => thrown)).toMatchObject({ code });
      } finally {
        process.chdir(before);
      }
    });
  }
});
