import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { canary, waitFor } from "@svc/testing";
import {
  failureOf,
  type LoginFiles,
  logIn,
  loginFiles,
  loginsOf,
} from "../testdata/login-stage.ts";

const registry = "registry.shop.test";
let files: LoginFiles;
beforeAll(() => {
  files = loginFiles();
});
afterAll(() => files[Symbol.dispose]());

function loginBy(config: object | string, helpers = true) {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  const logins = loginsOf({
    source: "docker-config",
    registry,
    environment: { AWS_REGION: "eu-central-1" },
    dockerConfig: files.write(crypto.randomUUID(), text),
    ...(helpers && { helperFolder: files.path }),
  });
  return logIn(logins, registry);
}

/** Writes a helper and gives its name. */
function helper(script: string, mode = 0o755): string {
  const name = crypto.randomUUID();
  chmodSync(files.write(`docker-credential-${name}`, `#!/bin/sh\n${script}\n`), mode);
  return name;
}

const answering = (Username: string, Secret: string) =>
  helper(
    `cat >/dev/null; printf '%s' '${JSON.stringify({ ServerURL: registry, Username, Secret })}'`,
  );

describe("docker's configuration gives", () => {
  test("the credentials of auths", async () => {
    const password = canary();
    const auth = Buffer.from(`me:${password}`).toString("base64");
    const auths = { [`https://${registry}/v2/`]: { auth }, "other.test": { username: "x" } };
    expect(await loginBy({ auths })).toMatchObject([{ username: "me", password }]);
  });

  test("the registry's helper, before auths", async () => {
    const credHelpers = { [registry]: answering("me", "secret") };
    const auths = { [registry]: { username: "other", password: "p" } };
    expect(await loginBy({ auths, credHelpers })).toMatchObject([
      { username: "me", password: "secret" },
    ]);
  });

  test("the store, if auths have nothing", async () => {
    const auths = { [registry]: {} };
    const found = await loginBy({ auths, credsStore: answering("me", "secret") });
    expect(found).toMatchObject([{ username: "me", password: "secret" }]);
  });

  test("an identity token of a helper", async () => {
    const credsStore = answering("<token>", "refresh");
    expect(await loginBy({ credsStore })).toMatchObject([{ identityToken: "refresh" }]);
  });

  test("nothing for a registry that nothing in it is for", async () => {
    expect(await loginBy({ auths: { "other.test": { username: "x" } } })).toEqual([]);
    const credsStore = helper('echo "credentials not found in native keychain"; exit 1');
    expect(await loginBy({ credsStore })).toEqual([]);
  });

  test("a change of the file, a little later", async () => {
    const path = files.write("changing", "{}");
    const wanted = {
      source: "docker-config",
      registry,
      environment: {},
      dockerConfig: path,
    } as const;
    expect(await logIn(loginsOf(wanted), registry)).toEqual([]);
    await Bun.write(path, JSON.stringify({ auths: { [registry]: { username: "new" } } }));
    expect(await logIn(loginsOf(wanted), registry)).toMatchObject([{ username: "new" }]);
  });
});

test("a helper has the registry as its input, one argument, and of the environment only identities", async () => {
  const seen = `${files.path}/seen`;
  const script = `{ printf '%s|' "$@"; cat; echo; env; } > ${seen}; printf '{"Username":"u","Secret":"s"}'`;
  await loginBy({ credHelpers: { [`https://${registry}/v1/`]: helper(script) } });
  const [words, ...variables] = (await Bun.file(seen).text()).trim().split("\n");
  expect(words).toBe(`get|https://${registry}/v1/`);
  const names = variables.map((line) => line.split("=")[0]);
  expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name ?? ""))).toEqual(
    expect.arrayContaining(["PATH", "AWS_REGION"]),
  );
  expect(names).not.toContain("HOME");
});

test("a helper is run once for a registry, however many images it has", async () => {
  const runs = `${files.path}/runs`;
  const name = helper(`echo run >> ${runs}; printf '{"Username":"u","Secret":"s"}'`);
  const dockerConfig = files.write(crypto.randomUUID(), JSON.stringify({ credsStore: name }));
  const logins = loginsOf({
    ...{ source: "docker-config", registry, environment: {}, dockerConfig },
    helperFolder: files.path,
  });
  const of = logins.forNamespace("shop");
  const { signal } = new AbortController();
  const asked = Array.from({ length: 30 }, async (_, index) => {
    const [login] = of?.loginsFor({ registry, repository: `team/app${index}` }) ?? [];
    return login?.credentials(signal);
  });
  expect((await Promise.all(asked)).map((found) => found?.length)).toEqual(asked.map(() => 1));
  expect(await Bun.file(runs).text()).toBe("run\n");
});

describe("a helper that does not do is reported:", () => {
  const rows: Readonly<Record<string, readonly [() => object, string, RegExp]>> = {
    "it fails": [
      () => ({ credsStore: helper("echo canary-; echo canary- >&2; exit 3") }),
      "LOGIN_REFUSED",
      /it ended with status 3$/,
    ],
    "it says no JSON": [
      () => ({ credsStore: helper("echo canary-") }),
      "LOGIN_REFUSED",
      /the answer is not JSON$/,
    ],
    "it says no secret": [
      () => ({ credsStore: helper('echo \'{"Username":"canary-"}\'') }),
      "LOGIN_REFUSED",
      /its answer has no Username and Secret$/,
    ],
    "it says too much": [
      () => ({ credsStore: helper("while :; do echo canary-canary-canary-canary-; done") }),
      "LOGIN_REFUSED",
      /it wrote more than 131072 bytes$/,
    ],
    "it is not there": [
      () => ({ credsStore: "nowhere" }),
      "LOGIN_REFUSED",
      /it could not be started \(ENOENT\)$/,
    ],
    "it may not be run": [
      () => ({ credsStore: helper("exit 0", 0o644) }),
      "LOGIN_REFUSED",
      /it could not be started \(EACCES\)$/,
    ],
    "its name leads elsewhere": [
      () => ({ credsStore: "../../bin/sh" }),
      "LOGIN_REFUSED",
      /credsStore is not a name of a helper$/,
    ],
    "a registry's name leads elsewhere": [
      () => ({ credHelpers: { [registry]: "a/b" } }),
      "LOGIN_REFUSED",
      /an entry of credHelpers is not a name of a helper$/,
    ],
  };
  for (const [name, [config, code, message]] of Object.entries(rows)) {
    test(name, async () => {
      const error = await failureOf(loginBy(config()));
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
      expect(Bun.inspect(error)).not.toContain("canary-");
    });
  }

  test("no folder for helpers is set", async () => {
    const error = await failureOf(loginBy({ credsStore: answering("u", "s") }, false));
    expect(error.message).toEndWith("helpers are not allowed");
    expect(error.hint).toContain("--credential-helpers");
  });

  test("it hangs, and is ended with its children", async () => {
    const pidFile = `${files.path}/child`;
    const script = `sleep 1000 & echo $! > ${pidFile}; sleep 1000`;
    const error = await failureOf(loginBy({ credsStore: helper(script) }));
    expect([error.code, error.message]).toEqual([
      "LOGIN_UNAVAILABLE",
      expect.stringMatching(/it did not end within 4000 ms$/),
    ]);
    const child = (await Bun.file(pidFile).text()).trim();
    const isGone = async () => !(await Bun.file(`/proc/${child}/status`).exists());
    await waitFor(isGone, { deadlineMs: 30_000, what: "the helper's child to end" });
  });

  test("it ends and leaves a child that holds its output open", async () => {
    const credsStore = helper("setsid sleep 8 & exit 0");
    expect((await failureOf(loginBy({ credsStore }))).code).toBe("LOGIN_UNAVAILABLE");
  });
});

describe("a file that cannot be used is reported:", () => {
  const rows: Readonly<Record<string, readonly [string, RegExp]>> = {
    "no JSON": ["canary-", /the answer is not JSON$/],
    "an invalid entry": [
      JSON.stringify({ auths: { [registry]: "canary-" } }),
      /it has nothing for registry.shop.test, and an entry is not a JSON object$/,
    ],
    "an invalid auth": [
      JSON.stringify({ auths: { [registry]: { auth: "canary-" } } }),
      /an entry has an auth that is not base64 of NAME:PASSWORD$/,
    ],
  };
  for (const [name, [text, message]] of Object.entries(rows)) {
    test(name, async () => {
      const error = await failureOf(loginBy(text));
      expect([error.code, error.message]).toEqual([
        "LOGIN_REFUSED",
        expect.stringMatching(message),
      ]);
      expect(Bun.inspect(error)).not.toContain("canary-");
    });
  }
});
