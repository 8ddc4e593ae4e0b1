import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, temporaryFolder } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, environOf } from "../harness/processes/process-facts.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { changingStore, hurried } from "../harness/wrapper/lifecycle-stage.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

// A wrapper that may not mount gives files by sealed descriptors, if any path will do.

setDefaultTimeout(60_000);
const [key, crt] = [`${canary()}\n`, canary()];
const { store, environment, password } = oneSecretStore({
  secrets: {
    "secret/data/tls": { key, crt, b64: Buffer.from(key).toString("base64"), wrong: "!" },
  },
});
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
chmodSync(folder.path, 0o755);
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();
const rootTest = needsRoot(test);

const { SVC_ENV_MAP: _, ...vault } = environment;
const both =
  "key=/run/no-such-folder/key#env=KEY#any-path,crt=/run/no-such-folder/crt#env=CRT#any-path";
const tls = { ...vault, SVC_SECRET_PATHS: "secret/data/tls", SVC_FILE_MAP: both };
const shell = (script: string) => ["/bin/sh", "-c", script];

describe("a program without CAP_SYS_ADMIN above it", () => {
  test.concurrent("opens its files by the paths of their variables, again and again", async () => {
    const script = `case $KEY in /proc/self/fd/*) ;; *) echo "$KEY";; esac
      cat $KEY $KEY; sh -c 'cat $CRT; cat $CRT'; stat -L -c '|%a %s' $KEY; echo x > $KEY; env`;
    const ended = await runWrapper({
      startsAs: unprivileged,
      program: shell(script),
      environment: tls,
    });
    const text = ended.stdout.toString();
    const expected = `${key}${key}${crt}${crt}|400 ${key.length}\n`;
    expect(text.startsWith(expected), `${text}${ended.stderr}`).toBe(true);
    expect(text).not.toContain("SVC_");
    expect(ended.stderr).toContain("deliver files by descriptors");
    expect(ended.stderr).toContain("the wrapper has no CAP_SYS_ADMIN");
    expect(existsSync("/run/no-such-folder")).toBe(false);
  });

  for (const delivery of ["inject", "preload", "env"]) {
    test.concurrent(`has variables, too: ${delivery}`, async () => {
      const ended = await runWrapper({
        startsAs: unprivileged,
        program: shell(
          'echo "$DB_PASSWORD|$(cat $KEY)"; sh -c \'echo "$DB_PASSWORD|$(cat $KEY)"\'',
        ),
        environment: {
          ...{
            ...vault,
            SVC_DELIVERY: delivery,
            SVC_SECRET_PATHS: "secret/data/app,secret/data/tls",
          },
          ...{ SVC_ENV_MAP: "password=DB_PASSWORD;", SVC_FILE_MAP: `;${both}` },
        },
      });
      const line = `${password}|${key}`;
      expect(ended.stdout.toString(), ended.stderr).toBe(`${line}${line}`);
    });
  }

  test.concurrent("gets base64 decoded, and can change nothing", async () => {
    const script = "cat $KEY; chmod 600 $KEY; echo x >> $KEY; truncate -s 1 $KEY; cat $KEY";
    const ended = await runWrapper({
      startsAs: unprivileged,
      program: shell(script),
      environment: { ...tls, SVC_FILE_MAP: "b64=/run/x/key#base64#any-path#env=KEY" },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe(`${key}${key}`);
  });

  test.concurrent("is replaced with new files, which no environment has", async () => {
    await using changing = changingStore();
    const { SVC_ENV_MAP: __, ...settings } = changing.environment;
    const first = changing.value();
    await using wrapper = await startWrapper({
      startsAs: unprivileged,
      program: shell("echo start $(cat $KEY); exec sleep 1000"),
      environment: {
        ...{ ...settings, ...hurried, SVC_ROTATION_DEBOUNCE: "0s" },
        SVC_FILE_MAP: "password=/run/x/key#any-path#env=KEY",
      },
    });
    await wrapper.prints(`start ${first}`);
    const second = await changing.change();
    await wrapper.prints(`start ${second}`);
    const program = childrenOf(wrapper.pid)[0] ?? 0;
    expect(leaksIn(environOf(program), [first, second])).toEqual([]);
    expect(leaksIn(wrapper.stderr(), [first, second])).toEqual([]);
    wrapper.kill(15);
    await wrapper.ended;
  });
});

rootTest("the path of the map is taken wherever the wrapper may mount", async () => {
  const place = at("place");
  const ended = await runWrapper({
    program: shell("echo $KEY; cat $KEY"),
    environment: { ...tls, SVC_FILE_MAP: `key=${place}/key#env=KEY#any-path` },
  });
  expect(ended.stdout.toString(), ended.stderr).toBe(`${place}/key\n${key}`);
});

rootTest("they are taken if a folder is in use, too", async () => {
  mkdirSync(at("used"));
  writeFileSync(at("used/file"), "");
  const ended = await runWrapper({
    program: shell("cat $KEY"),
    environment: { ...tls, SVC_FILE_MAP: `key=${at("used")}/key#env=KEY#any-path` },
  });
  expect(ended.stdout.toString(), ended.stderr).toBe(key);
  expect(ended.stderr).toContain("the folder must be empty or missing");
});

describe("it is refused with both reasons", () => {
  const rows: readonly (readonly [
    name: string,
    more: Readonly<Record<string, string>>,
    text: string,
  ])[] = [
    ["if one file needs its path", { SVC_FILE_MAP: `${both},b64=/run/x/b64` }, "no CAP_SYS_ADMIN"],
    ["with SVC_ROTATION=sighup", { SVC_ROTATION: "sighup" }, "SVC_ROTATION is sighup"],
    ["with SVC_SUPERVISE=never", { SVC_SUPERVISE: "never" }, "SVC_SUPERVISE=never"],
  ];
  for (const [name, more, text] of rows) {
    test.concurrent(name, async () => {
      const ended = await runWrapper({
        startsAs: unprivileged,
        program: ["/bin/echo", "ran"],
        environment: { ...tls, ...more },
      });
      expect([ended.exitCode, ended.stdout.toString()]).toEqual([125, ""]);
      expect(ended.stderr).toContain("FILE_PLACE_IMPOSSIBLE");
      expect(ended.stderr).toContain("no CAP_SYS_ADMIN");
      expect(ended.stderr).toContain(text);
    });
  }

  test.concurrent("if a value is not base64", async () => {
    const ended = await runWrapper({
      startsAs: unprivileged,
      program: ["/bin/echo", "ran"],
      environment: { ...tls, SVC_FILE_MAP: `${both},wrong=/run/x/y#base64#any-path#env=WRONG` },
    });
    expect([ended.exitCode, ended.stdout.toString()]).toEqual([125, ""]);
    expect(ended.stderr).toContain("VALUE_REFUSED");
    expect(ended.stderr).toContain("the value is not base64");
  });
});

/** Words that start an unprivileged wrapper once a shell has changed mounts. */
const inOwnMounts = (script: string) => [
  ...["unshare", "--mount", "sh", "-c", `${script} && exec "$@"`, "sh"],
  ...["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"],
  ...[wrapperPath, "--", "/bin/sh", "-c", "cat $KEY"],
];

rootTest("a machine with swap has no place for them, but a cgroup without swap has", async () => {
  writeFileSync(at("swaps"), "Filename Type Size Used Priority\n/dev/vdb partition 8 0 -2\n");
  const swaps = `mount --bind ${at("swaps")} /proc/swaps`;
  const refused = await runWrapper({ instead: inOwnMounts(swaps), environment: tls });
  expect([refused.exitCode, refused.stdout.toString()]).toEqual([125, ""]);
  expect(refused.stderr).toContain("the machine has swap");
  const limit = "mount -t tmpfs none /sys/fs/cgroup && echo 0 > /sys/fs/cgroup/memory.swap.max";
  const bounded = await runWrapper({
    instead: inOwnMounts(`${swaps} && ${limit}`),
    environment: tls,
  });
  expect(bounded.stdout.toString(), bounded.stderr).toBe(key);
});

test("--explain says it beforehand", async () => {
  const explain = (map: string) =>
    runWrapper({
      startsAs: unprivileged,
      flags: ["--explain", `--file-map=${map}`],
      program: ["/bin/true"],
    });
  const good = await explain("key=/run/x/key#env=KEY#any-path");
  expect(good.exitCode, good.stdout.toString()).toBe(0);
  expect(good.stdout.toString()).toContain(
    "files: by descriptors, at the paths of their variables: ",
  );
  expect((await explain("key=/run/x/key#env=KEY")).exitCode).toBe(125);
});
