import { beforeAll, describe, expect } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setStage } from "../wrapper/stage.ts";
import { makeApplication } from "./application.ts";
import { program } from "./programs.ts";
import { glibcRoot, muslRoot, type Root } from "./roots.ts";
import { bundleFolder, inRoot, type RootLaunch, runInRoot, startInRoot } from "./run-in-root.ts";
import { hostileVariables } from "./surroundings.ts";

const TIMEOUT_MS = 180_000;
const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
const { store, environment: settings, password, at } = setStage();
const { port } = new URL(store.address);
const environment = {
  ...settings,
  VAULT_ADDR: `http://vault.test:${port}`,
  SVC_DELIVERY: "env",
  SVC_LOG_LEVEL: "error",
};

// What an image's own files can tell a loader and a C library to load.
const glibc = steering(glibcRoot(at("glibc")), "a root whose files name libraries to load");
const musl = steering(muslRoot(at("musl")), "a root whose libraries are another libc's");
const muslLoader = readdirSync(join(musl.path, "lib")).find((name) => name.startsWith("ld-musl-"));
for (const name of ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"]) {
  copyFileSync(join(musl.path, "lib", muslLoader ?? ""), join(musl.path, "lib", name));
  copyFileSync(join(musl.path, "lib", name), join(musl.path, "lib", triplet, name));
}

for (const root of [glibc, musl]) {
  describe(`in ${root.name}`, () => {
    inRoot(
      "the wrapper has nothing of the image in its memory, and finds the vault by its name",
      async () => {
        await using run = await startInRoot({
          root: root.path,
          app: root.app,
          words: ["--", "/opt/app/tells-static", "-w"],
          environment: { ...hostileVariables, ...environment },
        });
        await run.prints(password);
        expect(filesIn(await run.pid())).toEqual(expectedFiles());
        run.closeInput();
        const { exitCode, stdout, stderr } = await run.ended;
        expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: "" });
        expect(stdout).not.toContain("steered");
      },
      TIMEOUT_MS,
    );
  });
}

inRoot("a program of the image does load what its files name", async () => {
  const { exitCode, stdout, stderr } = await runInRoot({
    root: glibc.path,
    app: glibc.app,
    words: ["--", "/opt/app/getent", "ahostsv4", "vault.test"],
    environment,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  // Once by ld.so.preload and once by nsswitch.conf; the wrapper and its courier would add theirs.
  expect(stdout.split("\n").filter((line) => line === "steered")).toHaveLength(2);
  expect(stdout).toContain("127.0.0.1");
});

describe("with Debian's loader in the place of the bundle's", () => {
  const plain = at("plain-bundle");
  beforeAll(() => {
    cpSync(bundleFolder, plain, { recursive: true });
    copyFileSync(debianLoader(), join(plain, "lib/ld.so"));
    chmodSync(join(plain, "lib/ld.so"), 0o755);
  });

  const rows: readonly (readonly [name: string, variables: object, steers: RegExp])[] = [
    ["LD_DEBUG", { LD_DEBUG: "files" }, /calling init/],
    ["LD_PRELOAD of a missing file", { LD_PRELOAD: "/opt/app/none.so" }, /cannot be preloaded/],
    ["LD_PRELOAD", { LD_PRELOAD: "/opt/app/steers.so" }, /^steered$/m],
    ["LD_LIBRARY_PATH", { LD_LIBRARY_PATH: "/opt/app/wrong" }, /file too short/],
  ];
  for (const [name, variables, steers] of rows) {
    inRoot(
      `${name} steers the wrapper`,
      async () => {
        const { stdout, stderr } = await runInRoot(versionLaunch({ ...variables }, plain));
        expect(stdout + stderr).toMatch(steers);
      },
      TIMEOUT_MS,
    );

    inRoot(
      `${name} does not steer the bundle's`,
      async () => {
        const ended = await runInRoot(versionLaunch({ ...variables }, bundleFolder));
        expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
        expect(ended.stdout).toMatch(/^svc-wrapper \d+\.\d+\.\d+\n$/);
      },
      TIMEOUT_MS,
    );
  }

  function versionLaunch(variables: Readonly<Record<string, string>>, bundle: string): RootLaunch {
    // The machine's own root: the plain loader finds its libraries there.
    const words = ["--version"];
    return { root: "/", app: glibc.app, bundle, words, environment: variables };
  }
});

interface SteeringRoot extends Root {
  readonly name: string;
  readonly app: string;
}

function steering(root: Root, name: string): SteeringRoot {
  const app = makeApplication(at(`app of ${name}`), root);
  copyFileSync("/usr/bin/getent", join(app, "getent"));
  const libraries = join(root.path, "lib", triplet);
  mkdirSync(libraries, { recursive: true });
  copyFileSync(program("steers.so"), join(libraries, "libnss_steers.so.2"));
  writeFileSync(join(root.path, "etc/ld.so.preload"), "/opt/app/steers.so\n");
  writeFileSync(join(root.path, "etc/nsswitch.conf"), "hosts: steers files\n");
  writeFileSync(join(root.path, "etc/hosts"), "127.0.0.1 vault.test\n");
  Bun.spawnSync(["/sbin/ldconfig", "-r", root.path]);
  return { ...root, name, app };
}

/** The files that a process has mapped. */
function filesIn(pid: number): readonly string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  const paths = lines.map((line) => line.split(/\s+/).slice(5).join(" "));
  return [...new Set(paths.filter((path) => path.startsWith("/")))].sort();
}

function expectedFiles(): readonly string[] {
  const libraries = ["ld.so", "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"];
  return ["/opt/svc/bin/svc-wrapper", ...libraries.map((name) => `/opt/svc/lib/${name}`)];
}

function debianLoader(): string {
  const name = process.arch === "arm64" ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2";
  return join("/lib", triplet, name);
}
