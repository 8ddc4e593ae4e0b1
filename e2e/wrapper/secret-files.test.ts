import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { runWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import { withoutVault } from "./file-stage.ts";

// SVC_FILE_MAP: fields of secrets as files, in a mount that only the program has.

setDefaultTimeout(60_000);
const [key, crt] = [`${canary()}\n`, canary()];
const binary = Buffer.from([0, 255, 10, 13, 0, 128]);
const {
  store,
  environment: withVault,
  password,
} = oneSecretStore({
  secrets: {
    "secret/data/tls": {
      "tls.key": key,
      "tls.crt": crt,
      nothing: null,
      empty: "",
      object: { a: 1 },
    },
    "secret/data/odd": {
      ...{ b64: binary.toString("base64"), nul: "a\0b", reference: "vault:secret/data/x#y" },
      ...{ wrong: "no base64!", large: "x".repeat((1 << 20) + 1) },
      large64: Buffer.alloc((1 << 20) + 1).toString("base64"),
      most: "m".repeat(1 << 20),
    },
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
const rootDescribe = needsRoot(describe);

/** Their numbers; asm-generic/unistd.h, and x86's own. */
const calls = process.arch === "arm64" ? { unshare: 97, mount: 40 } : { unshare: 272, mount: 165 };

/** A place that no other test has. */
const place = () => at(crypto.randomUUID());
const { SVC_ENV_MAP: _, ...vault } = withVault;
const tls = { ...vault, SVC_SECRET_PATHS: "secret/data/tls" };
const odd = { ...vault, SVC_SECRET_PATHS: "secret/data/odd" };
const shell = (script: string) => ["/bin/sh", "-c", script];

rootDescribe("a program finds its files", () => {
  test.concurrent("alone, with their content to the byte, mode and path", async () => {
    const at = place();
    const ended = await runWrapper({
      program: shell(`cat $KEY ${at}/sub/crt; stat -L -c '|%a %u %s' $KEY ${at}/sub/crt; env`),
      environment: {
        ...tls,
        SVC_FILE_MAP: `tls.key=${at}/key#env=KEY,tls.crt=${at}/sub/crt#mode=0444`,
      },
    });
    const uid = process.getuid?.();
    const text = ended.stdout.toString();
    const facts = `|400 ${uid} ${key.length}\n|444 ${uid} ${crt.length}\n`;
    expect(text.startsWith(`${key}${crt}${facts}`), `${text}${ended.stderr}`).toBe(true);
    expect(text).toContain(`KEY=${at}/key\n`);
    expect(text).not.toContain("SVC_");
    expect(ended.stderr).toContain("deliver files by a private mount");
    expect(readdirSync(at)).toEqual([]);
  });

  const deliveries = ["inject", "preload", "env", "library"] as const;
  for (const delivery of deliveries) {
    test.concurrent(`beside variables: ${delivery}`, async () => {
      const at = place();
      const ended = await runWrapper({
        program: shell(`cat ${at}/key; echo "$DB_PASSWORD|$KEY"`),
        environment: {
          ...vault,
          ...{ SVC_DELIVERY: delivery, SVC_SECRET_PATHS: "secret/data/app,secret/data/tls" },
          SVC_ENV_MAP: "password=DB_PASSWORD;",
          SVC_FILE_MAP: `;tls.key=${at}/key#env=KEY`,
        },
      });
      const variable = delivery === "library" ? "" : password;
      expect(ended.stdout.toString(), ended.stderr).toBe(`${key}${variable}|${at}/key\n`);
    });
  }

  const odds: readonly (readonly [name: string, entry: string, content: Buffer])[] = [
    ["base64 of any bytes", "b64=PATH#base64", binary],
    ["a NUL byte", "nul=PATH", Buffer.from("a\0b")],
    ["1 MiB", "most=PATH", Buffer.alloc(1 << 20, "m")],
  ];
  for (const [name, entry, content] of odds) {
    test.concurrent(name, async () => {
      const at = place();
      const ended = await runWrapper({
        program: ["/bin/cat", `${at}/file`],
        environment: { ...odd, SVC_FILE_MAP: entry.replace("PATH", `${at}/file`) },
      });
      expect(ended.stdout.equals(content), ended.stderr).toBe(true);
    });
  }

  test.concurrent("an empty one, an object as JSON, and a reference that is allowed", async () => {
    const at = place();
    const ended = await runWrapper({
      program: shell(`cd ${at}; wc -c < empty; cat object; cat reference`),
      environment: {
        ...vault,
        ...{ SVC_SECRET_PATHS: "secret/data/tls,secret/data/odd", SVC_ALLOW_REFERENCES: "true" },
        SVC_FILE_MAP: `empty=${at}/empty,object=${at}/object;reference=${at}/reference`,
      },
    });
    const text = '0\n{"a":1}vault:secret/data/x#y';
    expect(ended.stdout.toString(), ended.stderr).toBe(text);
  });

  test.concurrent("after a change of user, by owner= and by mode=", async () => {
    const at = place();
    const map = `tls.key=${at}/key#owner=65534:65534,tls.crt=${at}/crt#mode=0444,empty=${at}/not`;
    const ended = await runWrapper({
      program: shell(
        `setpriv --reuid 65534 --clear-groups sh -c 'cat ${at}/key ${at}/crt ${at}/not'`,
      ),
      environment: { ...tls, SVC_FILE_MAP: map },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe(`${key}${crt}`);
    expect(ended.stderr).toContain("not: Permission denied");
  });

  test.concurrent("and can make other files beside them, and rename one over them", async () => {
    const at = place();
    const ended = await runWrapper({
      program: shell(`cd ${at}; echo mine > new; mv new key; cat key; rm crt; ls`),
      environment: { ...tls, SVC_FILE_MAP: `tls.key=${at}/key,tls.crt=${at}/crt` },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe("mine\nkey\n");
    expect(readdirSync(at)).toEqual([]);
  });

  test.concurrent("as does the one that the wrapper becomes (SVC_SUPERVISE=never)", async () => {
    const at = place();
    const ended = await runWrapper({
      program: shell(`cat ${at}/key; echo $KEY`),
      environment: { ...tls, SVC_SUPERVISE: "never", SVC_FILE_MAP: `tls.key=${at}/key#env=KEY` },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe(`${key}${at}/key\n`);
  });

  test.concurrent("by flags, in process 1 of a container's namespace, with a umask", async () => {
    const at = place();
    const { SVC_SECRET_PATHS: __, ...bare } = tls;
    const ended = await runWrapper({
      firstProcess: true,
      startsAs: ["-u", "077"],
      flags: [
        "--secret-paths=secret/data/tls",
        `--file-map=tls.key=${at}/a/key,tls.crt=${at}/a/b/c`,
      ],
      program: shell(`cat ${at}/a/key ${at}/a/b/c; stat -c %a ${at}/a ${at}/a/b`),
      environment: bare,
    });
    expect(ended.stdout.toString(), ended.stderr).toBe(`${key}${crt}755\n755\n`);
  });

  test.concurrent("from files, and with no vault", async () => {
    const at = place();
    writeFileSync(`${at}.pem`, "PEM\nEND\n");
    const ended = await runWrapper({
      program: ["/bin/cat", `${at}/key`],
      environment: {
        ...withoutVault,
        ...{ SVC_SECRET_PATHS: `file:${at}.pem` },
        SVC_FILE_MAP: `${at.slice(at.lastIndexOf("/") + 1)}.pem=${at}/key`,
      },
    });
    expect(ended.stdout.toString(), ended.stderr).toBe("PEM\nEND");
  });
});

/** Words with which a shell begins a wrapper in separate mounts. */
const inOwnMounts = (script: string) => [
  ...["unshare", "--mount", "sh", "-c", `${script} && exec "$@"`, "sh"],
  ...[wrapperPath, "--", "/bin/true"],
];

describe("files that cannot be start nothing, and are named", () => {
  const full = at("full");
  mkdirSync(full);
  writeFileSync(join(full, "theirs"), "");
  writeFileSync(at("a-file"), "");
  symlinkSync(at("nowhere"), at("dangling"));
  mkdirSync(at("real"));
  symlinkSync(at("real"), at("link"));
  const rows: readonly (readonly [name: string, map: string, texts: readonly string[]])[] = [
    ["a folder that has files", `tls.key=${full}/key`, [`${full}: the folder must be empty`]],
    ["a file as a folder", `tls.key=${at("a-file")}/key`, [`${at("a-file")}: it is not a folder`]],
    ["a file above the folder", `tls.key=${at("a-file")}/x/key`, ["ENOTDIR"]],
    ["a link that leads nowhere", `tls.key=${at("dangling")}/key`, ["ENOENT"]],
    [
      "two names of one folder",
      `tls.key=${at("real")}/key,tls.crt=${at("link")}/crt`,
      [`it is the same folder as ${at("real")}`],
    ],
    [
      "a folder inside of another one, by a link",
      `tls.key=${at("real")}/key,tls.crt=${at("link")}/x/crt`,
      [`${at("real")}: the folder must be empty`],
    ],
    ["the wrapper's own folder", `tls.key=${join(wrapperPath, "../x/key")}`, ["the wrapper's own"]],
    [
      "all of them",
      `tls.key=${full}/key,tls.crt=${at("a-file")}/crt`,
      [`${full}: the folder must be empty`, `${at("a-file")}: it is not a folder`],
    ],
  ];
  for (const [name, map, texts] of rows) {
    rootTest(name, async () => {
      const proof = await runToProof({
        environment: { ...tls, SVC_FILE_MAP: map, SVC_LOG_FORMAT: "json" },
      });
      expect([proof.exitCode, proof.ran]).toEqual([125, false]);
      expect(new Set(proof.errorCodes)).toEqual(new Set(["FILE_PLACE_IMPOSSIBLE"]));
      for (const text of texts) expect(proof.message).toContain(text);
      expect(readdirSync(at("real"))).toEqual([]);
    });
  }

  const values: readonly (readonly [map: string, code: string, text: string])[] = [
    ["gone=PATH", "FIELD_MISSING", 'has no field "gone"'],
    ["reference=PATH", "VALUE_REFUSED", "the value is still a reference"],
    ["wrong=PATH#base64", "VALUE_REFUSED", "the value is not base64"],
    ["large=PATH", "VALUE_REFUSED", "the file is larger than 1 MiB"],
    ["large64=PATH#base64", "VALUE_REFUSED", "the file is larger than 1 MiB"],
  ];
  for (const [map, code, text] of values) {
    rootTest(`${map}: ${text}`, async () => {
      const at = place();
      const SVC_FILE_MAP = `b64=${at}/good,${map.replace("PATH", `${at}/file`)}`;
      const proof = await runToProof({
        environment: { ...odd, SVC_FILE_MAP, SVC_LOG_FORMAT: "json" },
      });
      expect([proof.exitCode, proof.ran, proof.errorCodes]).toEqual([125, false, [code]]);
      expect(proof.message).toContain(text);
      expect(readdirSync(at)).toEqual([]);
    });
  }

  const refusals: readonly (readonly [name: string, startsAs: readonly string[], text: string])[] =
    [
      ["a user without capabilities", unprivileged, "EPERM: the wrapper has no CAP_SYS_ADMIN"],
      [
        "a filter that refuses unshare",
        ["-n", `${calls.unshare}=1`],
        "unshare: EPERM: a seccomp profile",
      ],
      [
        "a filter that refuses mount",
        ["-n", `${calls.mount}=1`],
        "mount: EPERM: a seccomp profile",
      ],
    ];
  for (const [name, startsAs, text] of refusals) {
    rootTest(`${name}, together with a wrong folder`, async () => {
      const SVC_FILE_MAP = `tls.key=${full}/key,tls.crt=${place()}/crt`;
      const environment = { ...tls, SVC_FILE_MAP, SVC_LOG_FORMAT: "json" };
      const { exitCode, stderr } = await runWrapper({
        startsAs,
        program: ["/bin/true"],
        environment,
      });
      expect(exitCode).toBe(125);
      expect(stderr).toContain(text);
      expect(stderr).toContain(`${full}: the folder must be empty`);
    });
  }

  rootTest(
    "a missing folder on a file system that is read-only; an empty one is fine",
    async () => {
      const at = place();
      mkdirSync(join(at, "empty"), { recursive: true });
      const instead = inOwnMounts(`mount --bind ${at} ${at} && mount -o remount,ro,bind ${at}`);
      const run = (name: string) =>
        runWrapper({ instead, environment: { ...tls, SVC_FILE_MAP: `tls.key=${at}/${name}/key` } });
      const missing = await run("missing");
      expect([missing.exitCode, missing.stderr]).toEqual([125, expect.stringContaining("EROFS")]);
      expect(await run("empty")).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(at, "missing"))).toBe(false);
    },
  );
});

rootTest("--explain says the way, or everything that stands in it", async () => {
  const explain = (path: string, startsAs: readonly string[] = []) =>
    runWrapper({
      startsAs,
      flags: ["--explain", `--file-map=key=${path}/key`],
      program: ["/bin/true"],
    });
  const free = place();
  const good = await explain(free);
  expect([good.exitCode, existsSync(free)]).toEqual([0, false]);
  expect(good.stdout.toString()).toBe(
    `no variable: every secret is a file\nchildren: have the same files\nfiles: by a private mount over ${free}: in memory, on no disk, for this program alone\n`,
  );
  const bad = await explain(join(wrapperPath, ".."), unprivileged);
  expect(bad.exitCode).toBe(125);
  expect(bad.stdout.toString()).toContain(
    "files: impossible: mount the files of SVC_FILE_MAP: unshare",
  );
  expect(bad.stdout.toString()).toContain("the wrapper's own files are there");
});
