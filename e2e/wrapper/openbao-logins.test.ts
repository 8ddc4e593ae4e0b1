import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  answerPart,
  answerText,
  callBao,
  canary,
  needsRoot,
  type OpenBao,
  startOpenBao,
  temporaryFolder,
  waitFor,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, commandLineOf, environOf } from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { type JwtSigner, jwtSigner } from "./jwt-signer.ts";

const TIMEOUT_MS = 180_000;
const WAIT = { deadlineMs: 60_000 };
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);

/** A token's life: short enough for a test, long enough for a busy machine. */
const shortLife = { token_ttl: "6s", token_max_ttl: "8s" };

interface Story {
  readonly bao: OpenBao;
  readonly signer: JwtSigner;
  readonly roleIds: Readonly<Record<"app" | "short" | "free", string>>;
}

type Settings = Readonly<Record<string, string>>;

let running: Story | undefined;
const story = (): Story => {
  if (running === undefined) throw new TypeError("OpenBao did not start");
  return running;
};

beforeAll(async () => {
  running = await begin();
}, TIMEOUT_MS);
afterAll(async () => {
  await running?.bao.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

async function begin(): Promise<Story> {
  const bao = await startOpenBao();
  const signer = await jwtSigner();
  await writeSecret(bao, "secret/data/app", { password: "delivered" });
  await writePolicy(bao, "app", [{ path: "secret/data/app", capabilities: ["read"] }]);
  const post = (path: string, body: object) => callBao(bao, { method: "POST", path, body });
  for (const type of ["jwt", "approle"]) await post(`sys/auth/${type}`, { type });
  await post("auth/jwt/config", { jwt_validation_pubkeys: [signer.publicPem] });
  const role = { role_type: "jwt", user_claim: "sub", bound_audiences: ["vault"] };
  await post("auth/jwt/role/app", { ...role, token_policies: ["app"] });
  await post("auth/jwt/role/short", { ...role, ...shortLife, token_policies: ["app"] });
  const machine = "auth/approle/role";
  await post(`${machine}/app`, { token_policies: ["app"] });
  await post(`${machine}/short`, { ...shortLife, token_policies: ["app"], secret_id_num_uses: 1 });
  const free = { bind_secret_id: false, token_bound_cidrs: ["127.0.0.1/32"] };
  await post(`${machine}/free`, { ...free, token_policies: ["app"] });
  const idOf = async (name: string) => {
    const answer = await callBao(bao, { method: "GET", path: `${machine}/${name}/role-id` });
    return answerText(answerPart(answer, "data"), "role_id");
  };
  const roleIds = { app: await idOf("app"), short: await idOf("short"), free: await idOf("free") };
  return { bao, signer, roleIds };
}

async function newSecretId(role: "app" | "short"): Promise<string> {
  const path = `auth/approle/role/${role}/secret-id`;
  const answer = await callBao(story().bao, { method: "POST", path, body: {} });
  return answerText(answerPart(answer, "data"), "secret_id");
}

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

const logins: Readonly<Record<"jwt" | "approle", (role: "app" | "short") => Promise<Login>>> = {
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
    const secretId = await newSecretId(role);
    const roleId = story().roleIds[role];
    const file = fileWith(secretId);
    const settings = {
      VAULT_AUTH_METHOD: "approle",
      ...{ VAULT_APPROLE_ROLE_ID: roleId, VAULT_APPROLE_SECRET_ID_FILE: file },
    };
    return { settings, secrets: [secretId, roleId], file };
  },
};

/** True if the vault knows the token. */
async function isAlive(token: string): Promise<boolean> {
  const target = { ...story().bao, rootToken: token };
  const lookup = callBao(target, { method: "GET", path: "auth/token/lookup-self" });
  return await lookup.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && error.message.includes("status 403")) return false;
      throw error;
    },
  );
}

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
        const logged = () => proxy.issuedTokens().length >= 2;
        await waitFor(logged, { ...WAIT, what: "a second login" });
        expect(await isAlive(proxy.issuedTokens().at(-1) ?? "")).toBe(true);
        wrapper.kill(15);
        const ended = await wrapper.ended;
        expect(ended.stderr).not.toContain("could not be checked");
        expect(proxy.paths()).toContain("/v1/auth/token/renew-self");
        expect(await isAlive(proxy.issuedTokens().at(-1) ?? "")).toBe(false);
        expect(leaksIn(ended.stderr, [...first.secrets, ...second.secrets])).toEqual([]);
      },
      TIMEOUT_MS,
    );
  });
}

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
      ...byJwt({ VAULT_AUTH_ROLE: "nobody" }),
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
