import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { canary, freePort, needsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { deadline, healthAddress, recorder } from "../harness/wrapper/lifecycle-stage.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { makeVolume, withoutVault } from "./file-stage.ts";

// `file:` as the source of secrets: alone, without any vault, and beside one.

setDefaultTimeout(60_000);
const { store, environment: withVault, password } = oneSecretStore();
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

const print = (...names: readonly string[]) => {
  return ["/bin/sh", "-c", `printf '%s|' ${names.map((name) => `"$${name}"`).join(" ")}`];
};
writeFileSync(at("db"), "hunter2\n");
writeFileSync(at("app.json"), '{"user":"app","port":5432}\n');
makeVolume(at("volume"), { user: "u", password: "p", ".dockerconfigjson": "{}" });
chmodSync(folder.path, 0o755);

describe("a wrapper without a vault delivers", () => {
  const rows: readonly (readonly [
    name: string,
    launch: { readonly flags?: readonly string[]; readonly environment?: object },
    names: readonly string[],
    printed: string,
  ])[] = [
    [
      "a file, by its name",
      { environment: { SVC_SECRET_PATHS: `file:${at("db")}`, SVC_ENV_MAP: "db=DB_PASSWORD" } },
      ["DB_PASSWORD"],
      "hunter2|",
    ],
    [
      "a file by --secrets, with a field and without",
      { flags: [`--secrets=A=file:${at("db")},B=file:${at("db")}#db`] },
      ["A", "B"],
      "hunter2|hunter2|",
    ],
    [
      "the members of a JSON object, and all of it",
      {
        environment: {
          SVC_SECRET_PATHS: `file:${at("app.json")}`,
          SVC_ENV_MAP: "user=U,port=PORT,app.json=ALL",
        },
      },
      ["U", "PORT", "ALL"],
      'app|5432|{"user":"app","port":5432}|',
    ],
    [
      "the files of a volume",
      {
        environment: {
          SVC_SECRET_PATHS: `file:${at("volume")}`,
          SVC_ENV_MAP: "user=U,password=P,.dockerconfigjson=D",
        },
      },
      ["U", "P", "D"],
      "u|p|{}|",
    ],
    [
      "keys that are looked up in a volume",
      {
        flags: ["--secrets=user,password"],
        environment: { SVC_SECRET_PATHS: `file:${at("volume")}` },
      },
      ["user", "password"],
      "u|p|",
    ],
  ];
  for (const delivery of ["inject", "preload", "env"]) {
    for (const [name, { flags = [], environment }, names, printed] of rows) {
      test.concurrent(`${name}: ${delivery}`, async () => {
        const ended = await runWrapper({
          flags,
          program: print(...names),
          environment: { ...withoutVault, ...environment, SVC_DELIVERY: delivery },
        });
        expect(ended.exitCode, ended.stderr).toBe(0);
        expect(ended.stdout.toString()).toBe(printed);
        expect(ended.stderr).not.toContain("VAULT_");
      });
    }
  }

  test.concurrent("and becomes the program with SVC_SUPERVISE=never", async () => {
    const ended = await runWrapper({
      flags: [`--secrets=A=file:${at("db")}`],
      program: print("A"),
      environment: { ...withoutVault, SVC_SUPERVISE: "never" },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe("hunter2|");
  });

  test.concurrent("and says that the program can read the files, too", async () => {
    const { stderr } = await runWrapper({
      flags: [`--secrets=A=file:${at("db")}`],
      program: ["/bin/true"],
      environment: withoutVault,
    });
    expect(stderr).toContain("can read these files themselves");
  });

  test.concurrent("and says that settings of a vault have no effect", async () => {
    const { stderr, exitCode } = await runWrapper({
      flags: [`--secrets=A=file:${at("db")}`],
      program: ["/bin/true"],
      environment: {
        ...withoutVault,
        VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
        VAULT_TOKEN: canary(),
      },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("VAULT_ADDR, VAULT_TOKEN: have no effect: every secret is a file");
  });
});

test.concurrent("files and secrets of a vault are delivered together, in any order", async () => {
  const ended = await runWrapper({
    program: print("A", "B", "C"),
    environment: {
      ...withVault,
      SVC_SECRET_PATHS: `file:${at("db")},secret/data/app,file:${at("volume")}`,
      SVC_ENV_MAP: "db=A;password=B;user=C",
    },
  });
  expect(ended.stdout.toString(), ended.stderr).toBe(`hunter2|${password}|u|`);
});

test.concurrent("a name that a file and the vault deliver is refused", async () => {
  const { ran, errorCodes } = await runToProof({
    environment: {
      ...withVault,
      SVC_SECRET_PATHS: `file:${at("db")},secret/data/app`,
      SVC_ENV_MAP: "db=A;*=*",
    },
    flags: [],
  });
  expect([ran, errorCodes]).toEqual([true, []]);
  const both = await runToProof({
    environment: {
      ...withVault,
      SVC_SECRET_PATHS: `file:${at("db")},secret/data/app`,
      SVC_ENV_MAP: "db=password;*=*",
    },
  });
  expect([both.ran, both.errorCodes]).toEqual([false, ["VARIABLE_DUPLICATE"]]);
});

describe("a file that is not there yet is waited for, and the wrapper says so", () => {
  test.concurrent("until it comes", async () => {
    const path = at("late");
    await using wrapper = await startWrapper({
      flags: [`--secrets=DB_PASSWORD=file:${path}`],
      program: [recorder],
      environment: withoutVault,
    });
    const base = await healthAddress(wrapper);
    const cause = `read file:${path}: it is not there (ENOENT)`;
    const isSaid = async () => (await (await fetch(`${base}/readyz`)).text()).includes(cause);
    await waitFor(isSaid, deadline("the cause at /readyz"));
    await waitFor(async () => {
      return (await (await fetch(`${base}/metrics`)).text()).includes('code="FILE_UNREADABLE"');
    }, deadline("the code in the metrics"));
    expect(wrapper.stderr()).toContain("retryInMs");
    const value = canary();
    writeFileSync(path, value);
    await wrapper.prints(`start ${value}`);
    wrapper.kill(15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });

  test.concurrent("until SVC_START_DEADLINE", async () => {
    const { ran, errorCodes, message } = await runToProof({
      flags: [`--secrets=A=file:${at("never")}`],
      environment: { ...withoutVault, SVC_START_DEADLINE: "500ms" },
    });
    expect([ran, errorCodes]).toEqual([false, ["FILE_UNREADABLE"]]);
    expect(message).toContain(`read file:${at("never")}: it is not there (ENOENT)`);
  });

  test.concurrent("a single time with SVC_START_DEADLINE=0", async () => {
    const { ran, stderr } = await runToProof({
      flags: [`--secrets=A=file:${at("never")}`],
      environment: { ...withoutVault, SVC_START_DEADLINE: "0" },
    });
    expect([ran, stderr.includes("retryInMs")]).toEqual([false, false]);
  });
});

describe("bad input starts nothing, and is named at once", () => {
  const socket = createServer().listen(at("socket"));
  socket.unref();
  afterAll(() => void socket.close());
  Bun.spawnSync(["mkfifo", at("fifo")]);
  symlinkSync("loop", at("loop"));
  writeFileSync(at("large"), "x".repeat((1 << 20) + 1));
  writeFileSync(at("empty"), "");
  mkdirSync(at("empty-folder"));
  mkdirSync(at("with-fifo"));
  Bun.spawnSync(["mkfifo", at("with-fifo/pipe")]);
  writeFileSync(at("twice"), '{"a":1,"a":2}');
  const rows: readonly (readonly [path: string, text: string])[] = [
    [at("fifo"), "it is a device, a FIFO or a socket"],
    [at("socket"), "it is a device, a FIFO or a socket"],
    ["/dev/zero", "it is a device, a FIFO or a socket"],
    [at("loop"), "ELOOP"],
    [at("large"), "it is larger than 1 MiB"],
    [at("empty"), "it is empty"],
    [at("empty-folder"), "it is a folder without files"],
    [at("with-fifo"), '"pipe" is a device, a FIFO or a socket'],
    [at("twice"), "a key twice"],
    [at("db/x"), "ENOTDIR"],
  ];
  const settings = { ...withoutVault, SVC_START_DEADLINE: "200ms" };
  for (const [path, text] of rows) {
    test.concurrent(`${path.slice(path.lastIndexOf("/"))}: ${text}`, async () => {
      const { ran, errorCodes, message, exitCode } = await runToProof({
        flags: [`--secrets=A=file:${path}`],
        environment: settings,
      });
      expect([exitCode, ran, errorCodes]).toEqual([125, false, ["FILE_UNREADABLE"]]);
      expect(message).toContain(`read file:${path}: `);
      expect(message).toContain(text);
    });
  }

  test.concurrent("all of them together, without a wait", async () => {
    const paths = [at("fifo"), at("large"), at("gone")];
    const { ran, errorCodes, message } = await runToProof({
      flags: [`--secrets=${paths.map((path, n) => `V${n}=file:${path}`).join(",")}`],
      environment: { ...withoutVault, SVC_START_DEADLINE: "10m" },
    });
    expect([ran, errorCodes]).toEqual([false, Array(3).fill("FILE_UNREADABLE")]);
    for (const path of paths) expect(message).toContain(path);
  });

  needsRoot(test)("a file that another user owns, with that user's number", async () => {
    writeFileSync(at("owned"), "x", { mode: 0o600 });
    const { exitCode, stderr } = await runWrapper({
      startsAs: unprivileged,
      program: ["/bin/true"],
      flags: [`--secrets=A=file:${at("owned")}`],
      environment: settings,
    });
    expect(exitCode).toBe(125);
    expect(stderr).toContain("it may not be read by the wrapper's user, 65534 (EACCES)");
    expect(stderr).toContain("let the user 65534 or one of its groups read it");
  });

  test.concurrent("wrong paths, before anything is read", async () => {
    const { ran, errorCodes, message } = await runToProof({
      environment: {
        ...withoutVault,
        SVC_SECRET_PATHS: "file:db,file:/a/../b,file:/a#3",
        SVC_ENV_MAP: "a=A;b=B;c=C",
      },
    });
    expect([ran, errorCodes]).toEqual([false, Array(3).fill("SETTINGS_INVALID")]);
    for (const item of ["(item 1)", "(item 2)", "(item 3)"]) expect(message).toContain(item);
    expect(message).not.toContain("VAULT_ADDR");
  });
});
