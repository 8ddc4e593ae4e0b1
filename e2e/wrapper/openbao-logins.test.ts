import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, commandLineOf, environOf } from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import {
  isAlive,
  type LoginStory,
  newSecretId,
  type StoryRole,
  startLoginStory,
} from "./login-story.ts";

const TIMEOUT_MS = 180_000;
const WAIT = { deadlineMs: 60_000 };
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);

type Settings = Readonly<Record<string, string>>;

let running: LoginStory | undefined;
const story = (): LoginStory => {
  if (running === undefined) throw new TypeError("OpenBao did not start");
  return running;
};

beforeAll(async () => {
  running = await startLoginStory();
}, TIMEOUT_MS);
afterAll(async () => {
  await running?.bao.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

/** The settings of a login, and the texts that nothing may show. */
interface Login {
  readonly settings: Settings;
  readonly secrets: readonly string[];
  readonly file: string;
}

/** The file with a text of the login, which is new for each test. */
function fileWith(text: string): string {
  const path = at(crypto.randomUUID());
  writeFileSync(path, `${text}\n`);
  return path;
}

const logins: Readonly<Record<"jwt" | "approle", (role: StoryRole) => Promise<Login>>> = {
  jwt: async (role) => {
    const jwt = await story().signer.sign({ sub: "ci", aud: "vault" });
    const file = fileWith(jwt);
    const settings = {
      VAULT_AUTH_METHOD: "jwt",
      ...{ VAULT_AUTH_ROLE: role, SVC_AUTH_JWT_PATH: file },
    };
    return { settings, secrets: [jwt], file };
  },
  approle: async (role) => {
    const secretId = await newSecretId(story().bao, role);
    const roleId = story().roleIds[role];
    const file = fileWith(secretId);
    const settings = {
      VAULT_AUTH_METHOD: "approle",
      ...{ VAULT_APPROLE_ROLE_ID: roleId, VAULT_APPROLE_SECRET_ID_FILE: file },
    };
    return { settings, secrets: [secretId, roleId], file };
  },
};

function environment(more: Settings): Settings {
  return { ...wrapperEnvironment(story().bao.address, ""), SVC_LOG_LEVEL: "debug", ...more };
}

for (const [method, login] of Object.entries(logins)) {
  describe(`with a login by ${method}`, () => {
    test("a value is delivered", async () => {
      const { settings, secrets } = await login("app");
      const ended = await runWrapper({
        program: [fixture("prints-env")],
        environment: environment({ ...settings, SVC_DELIVERY: "env" }),
      });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(ended.stdout.toString().split("\0")).toContain("DB_PASSWORD=delivered");
      expect(leaksIn(`${ended.stdout}${ended.stderr}`, secrets)).toEqual([]);
    });

    // Only root reads the environment of a supervisor.
    needsRoot(test)(
      "no process and no log shows how it logs in",
      async () => {
        const { settings, secrets } = await login("app");
        await using wrapper = await startWrapper({
          program: [fixture("waits")],
          environment: environment(settings),
        });
        await wrapper.prints("ready");
        const [program = 0] = childrenOf(wrapper.pid);
        // The same search finds another of the settings.
        expect(environOf(wrapper.pid).includes("VAULT_AUTH_METHOD")).toBe(true);
        for (const pid of [wrapper.pid, program]) {
          expect(leaksIn(environOf(pid), secrets)).toEqual([]);
          expect(leaksIn(commandLineOf(pid), secrets)).toEqual([]);
        }
        expect(leaksIn(wrapper.stderr(), secrets)).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "a token near its maximum is replaced with the file as it then is, and revoked at the end",
      async () => {
        const { bao } = story();
        const first = await login("short");
        await using proxy = recordingProxy(bao.address);
        await using wrapper = await startWrapper({
          program: [fixture("waits")],
          environment: environment({ ...first.settings, VAULT_ADDR: proxy.address }),
        });
        await wrapper.prints("ready");
        // A secret id of this role works once: the second login shows that the file was read again.
        const second = await login("short");
        writeFileSync(first.file, readFileSync(second.file));
        // A courier that is ended within its login has told the wrapper nothing of the token.
        const logged = () => proxy.usedTokens().length >= 2;
        await waitFor(logged, { ...WAIT, what: "a request after a second login" });
        expect(await isAlive(bao, proxy.usedTokens().at(-1) ?? "")).toBe(true);
        wrapper.kill(15);
        const ended = await wrapper.ended;
        expect(ended.stderr).not.toContain("could not be checked");
        expect(proxy.paths()).toContain("/v1/auth/token/renew-self");
        expect(await isAlive(bao, proxy.usedTokens().at(-1) ?? "")).toBe(false);
        expect(leaksIn(ended.stderr, [...first.secrets, ...second.secrets])).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "a batch token is replaced before it ends, and nothing tries to renew or revoke it",
      async () => {
        const { settings, secrets } = await login("batch");
        await using proxy = recordingProxy(story().bao.address);
        await using wrapper = await startWrapper({
          program: [fixture("waits")],
          environment: environment({ ...settings, VAULT_ADDR: proxy.address }),
        });
        await wrapper.prints("ready");
        const logged = () => proxy.issuedTokens().length >= 2;
        await waitFor(logged, { ...WAIT, what: "a second login" });
        wrapper.kill(15);
        const ended = await wrapper.ended;
        expect(ended.stderr).not.toContain("could not be checked");
        expect(ended.stderr).not.toContain("left to expire");
        expect(proxy.paths()).not.toContain("/v1/auth/token/renew-self");
        expect(proxy.paths()).not.toContain("/v1/auth/token/revoke-self");
        expect(leaksIn(ended.stderr, [...secrets, ...proxy.issuedTokens()])).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test("a batch token of a program that is never checked is left to expire", async () => {
      const { settings } = await login("batch");
      const ended = await runWrapper({
        program: [fixture("prints-env")],
        environment: environment({ ...settings, SVC_ROTATION: "none", SVC_DELIVERY: "env" }),
      });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(ended.stderr).toContain("nothing can revoke a batch token");
    });
  });
}

test(
  "a program runs on while its secret id is used up, until the file has another one",
  async () => {
    const first = await logins.approle("short");
    await using proxy = recordingProxy(story().bao.address);
    const settings = { VAULT_ADDR: proxy.address, RENEWAL_INTERVAL: "500ms" };
    await using wrapper = await startWrapper({
      program: [fixture("waits")],
      environment: environment({ ...first.settings, ...settings }),
    });
    await wrapper.prints("ready");
    const [program] = childrenOf(wrapper.pid);
    const isRefused = () => wrapper.stderr().includes("invalid role or secret ID");
    await waitFor(isRefused, { ...WAIT, what: "a login that is refused" });
    expect(wrapper.stderr()).toContain("be used up");
    writeFileSync(first.file, await newSecretId(story().bao, "short"));
    const logged = () => proxy.issuedTokens().length >= 2;
    await waitFor(logged, { ...WAIT, what: "a second login" });
    expect(childrenOf(wrapper.pid)).toContain(program ?? 0);
    expect(leaksIn(wrapper.stderr(), first.secrets)).toEqual([]);
  },
  TIMEOUT_MS,
);

test("a role without secret ids needs no file", async () => {
  const { exitCode, stdout, stderr } = await runWrapper({
    program: [fixture("prints-env")],
    environment: environment({
      ...{ VAULT_AUTH_METHOD: "approle", VAULT_APPROLE_ROLE_ID: story().roleIds.free },
      SVC_DELIVERY: "env",
    }),
  });
  expect(exitCode, stderr).toBe(0);
  expect(stdout.toString()).toContain("DB_PASSWORD=delivered");
});

describe("the program does not start with", () => {
  const hidden = canary();
  const text = (content: string) => async () => fileWith(content);
  const jwtOf = (claims: object) => async () => fileWith(await story().signer.sign(claims));
  const jwt = { VAULT_AUTH_METHOD: "jwt", VAULT_AUTH_ROLE: "app" };
  type Row = readonly [
    file: () => Promise<string>,
    variable: "SVC_AUTH_JWT_PATH" | "VAULT_APPROLE_SECRET_ID_FILE",
    more: () => Settings,
    ...said: string[],
  ];
  const byJwt = (more: Settings) => ["SVC_AUTH_JWT_PATH", () => ({ ...jwt, ...more })] as const;
  const byAppRole = (more: Settings = {}) =>
    [
      "VAULT_APPROLE_SECRET_ID_FILE",
      () => ({
        VAULT_AUTH_METHOD: "approle",
        VAULT_APPROLE_ROLE_ID: story().roleIds.app,
        ...more,
      }),
    ] as const;
  const good = { sub: "ci", aud: "vault" };
  const unreadable = ["TOKEN_UNREADABLE", "VAULT_APPROLE_SECRET_ID_FILE"];
  const rows: Readonly<Record<string, Row>> = {
    "a wrong secret id": [text(hidden), ...byAppRole(), "VAULT_FAILED", "be used up"],
    "a wrong role id": [
      text(hidden),
      ...byAppRole({ VAULT_APPROLE_ROLE_ID: hidden }),
      ...["VAULT_FAILED", "VAULT_APPROLE_ROLE_ID"],
    ],
    "no secret id for a role that needs one": [
      async () => "",
      ...byAppRole(),
      ...["VAULT_FAILED", "missing secret_id", "VAULT_APPROLE_SECRET_ID_FILE"],
    ],
    "a missing file": [async () => at("nowhere"), ...byAppRole(), ...unreadable, "ENOENT"],
    "an empty file": [text(""), ...byAppRole(), ...unreadable, "empty"],
    "a file that is too large": [text("x".repeat(70_000)), ...byAppRole(), ...unreadable],
    "a folder in the file's place": [async () => folder.path, ...byAppRole(), ...unreadable],
    "a mount that is not there": [
      text(hidden),
      ...byAppRole({ VAULT_AUTH_MOUNT_PATH: "nowhere" }),
      ...["VAULT_FAILED", "VAULT_AUTH_MOUNT_PATH"],
    ],
    "a JWT for another audience": [
      jwtOf({ ...good, aud: "another" }),
      ...byJwt({}),
      ...["VAULT_FAILED", "audience"],
    ],
    "a JWT that has expired": [jwtOf({ ...good, exp: 1 }), ...byJwt({}), "VAULT_FAILED", "expired"],
    "text in the JWT's place": [text(hidden), ...byJwt({}), "VAULT_FAILED", "issuer, key"],
    "a role that does not exist": [
      jwtOf(good),
      ...byJwt({ VAULT_AUTH_ROLE: "absent" }),
      ...["INVALID_ROLE", "VAULT_AUTH_ROLE"],
    ],
  };
  for (const [what, [file, variable, more, ...said]] of Object.entries(rows)) {
    test(what, async () => {
      const path = await file();
      const { exitCode, stdout, stderr } = await runWrapper({
        program: ["/bin/echo", "started"],
        environment: environment({ ...more(), [variable]: path }),
      });
      expect([exitCode, stdout.toString()], stderr).toEqual([125, ""]);
      for (const word of said) expect(stderr).toContain(word);
      expect(stderr).toContain('"hint":"');
      expect(leaksIn(stderr, [hidden])).toEqual([]);
    });
  }
});
