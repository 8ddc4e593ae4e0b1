import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, temporaryFolder } from "@svc/testing";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, commandLineOf, environOf } from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { healthAddress } from "../harness/wrapper/lifecycle-stage.ts";
import { type Launch, runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { withoutVault } from "./file-stage.ts";

// A file's value is where the program is, and nowhere else of the wrapper's.

const TIMEOUT_MS = 180_000;
const [single, member, named, odd] = [canary(), canary(), canary(), canary()];
const secrets = [single, member, named, odd];
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();
const rootTest = needsRoot(test);

writeFileSync(at("db"), `${single}\n`);
writeFileSync(at("app.json"), JSON.stringify({ password: member }));
mkdirSync(at("folder"));
writeFileSync(at("folder/key"), named);
writeFileSync(at("twice.json"), `{"a":"${odd}","a":"${odd}"}`);
writeFileSync(at("cut-off.json"), `{"a":"${odd}`);
writeFileSync(at("nul"), `${odd}\0`);
writeFileSync(at("null.json"), `{"a":null,"b":"${odd}"}`);
writeFileSync(at("reference"), `vault:${odd}`);
writeFileSync(at("large"), odd.repeat(60_000));
mkdirSync(at("pipes"));
writeFileSync(at("pipes/a"), odd);
Bun.spawnSync(["mkfifo", at("pipes/b")]);

const environment = {
  ...withoutVault,
  SVC_LOG_LEVEL: "debug",
  SVC_START_DEADLINE: "300ms",
  SVC_SECRET_PATHS: ["db", "app.json", "folder"].map((name) => `file:${at(name)}`).join(","),
  SVC_ENV_MAP: "db=DB_PASSWORD;password=APP_PASSWORD,app.json=APP;key=KEY",
};

describe("nothing that the wrapper prints holds a value", () => {
  const of = (name: string, map: string) => ({
    SVC_SECRET_PATHS: `file:${at(name)}`,
    SVC_ENV_MAP: map,
  });
  const cases: Readonly<Record<string, Launch["environment"] & object>> = {
    "success by env": { SVC_DELIVERY: "env" },
    "success by library": { SVC_DELIVERY: "library" },
    "success by inject": { SVC_DELIVERY: "inject" },
    "success by preload": { SVC_DELIVERY: "preload" },
    "a missing file": { SVC_SECRET_PATHS: `file:${at("db")},file:${at("gone")},file:${at("db")}` },
    "a missing field": { SVC_ENV_MAP: "passwort=A;passwort=B;passwort=C" },
    "a key twice": of("twice.json", "a=A"),
    "JSON that is cut off": of("cut-off.json", "a=A"),
    "a NUL byte": of("nul", "nul=A"),
    "a null": of("null.json", "*=*"),
    "a reference": of("reference", "reference=A"),
    "a file that is too large": of("large", "large=A"),
    "a FIFO beside a file": of("pipes", "a=A"),
    "wrong settings": { SVC_ROTATION: "retsart" },
  };
  for (const [what, more] of Object.entries(cases)) {
    test.concurrent(
      what,
      async () => {
        const message = at(`message-${crypto.randomUUID()}`);
        writeFileSync(message, "");
        const program = { SVC_ORIGINAL_CMD: fixture("exits-with"), SVC_TERMINATION_LOG: message };
        const ended = await runWrapper({ environment: { ...environment, ...program, ...more } });
        expect(ended.exitCode === 0, ended.stderr).toBe(what.startsWith("success"));
        const printed = [ended.stderr, ended.stdout.toString(), readFileSync(message, "utf8")];
        expect(leaksIn(printed.join("\n"), secrets)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }
});

for (const delivery of ["env", "library", "inject", "preload"]) {
  rootTest(
    `beside a program by ${delivery} the supervisor has no value and no file of it open`,
    async () => {
      await using wrapper = await startWrapper({
        program: [fixture("waits")],
        environment: { ...environment, SVC_DELIVERY: delivery, RENEWAL_INTERVAL: "150ms" },
      });
      await wrapper.prints("ready");
      const base = await healthAddress(wrapper);
      await fetch(`${base}/v1/check`, { method: "POST" });
      const answers = ["/healthz", "/readyz", "/metrics", "/v1/check"].map(async (path) => {
        return (await fetch(`${base}${path}`)).text();
      });
      expect(leaksIn((await Promise.all(answers)).join("\n"), secrets)).toEqual([]);
      expect(findInMemory(wrapper.pid, secrets)).toEqual([]);
      expect(leaksIn(environOf(wrapper.pid), secrets)).toEqual([]);
      expect(leaksIn(commandLineOf(wrapper.pid), secrets)).toEqual([]);
      expect(leaksIn(wrapper.stderr(), secrets)).toEqual([]);
      const program = childrenOf(wrapper.pid)[0] ?? 0;
      if (delivery !== "env") expect(leaksIn(environOf(program), secrets)).toEqual([]);
      for (const pid of [wrapper.pid, program]) {
        expect(openFilesOf(pid).filter((path) => path.startsWith(folder.path))).toEqual([]);
      }
    },
    TIMEOUT_MS,
  );
}

test("the search finds a value in the program's memory", async () => {
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: { ...environment, SVC_DELIVERY: "env" },
  });
  await wrapper.prints("ready");
  const program = childrenOf(wrapper.pid)[0] ?? 0;
  expect(leaksIn(environOf(program), [single])).toEqual([`${single} as it is`]);
});

function openFilesOf(pid: number): readonly string[] {
  const path = `/proc/${pid}/fd`;
  return readdirSync(path).flatMap((fd) => {
    try {
      return [readlinkSync(join(path, fd))];
    } catch {
      // It was closed in between.
      return [];
    }
  });
}
