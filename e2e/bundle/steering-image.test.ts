import { describe, expect } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setStage } from "../harness/wrapper/stage.ts";
import { makeApplication } from "./application.ts";
import { program } from "./programs.ts";
import { glibcRoot, muslRoot, type Root } from "./roots.ts";
import { bundleFolder, inRoot, runInRoot, startInRoot } from "./run-in-root.ts";
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

// An image's own files can tell a loader and a C library which libraries to load.
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
        expect(filesIn(await run.pid())).toEqual(["/opt/svc/bin/svc-wrapper"]);
        run.closeInput();
        const { exitCode, stdout, stderr } = await run.ended;
        expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: "" });
        expect(stdout).not.toContain("steered");
      },
      TIMEOUT_MS,
    );
  });
}

inRoot("a program of the image does load the libraries that its files name", async () => {
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

describe("no variable of a loader, a C library or a runtime steers the wrapper:", () => {
  const rows: Readonly<Record<string, string>> = {
    LD_DEBUG: "files",
    LD_PRELOAD: "/opt/app/steers.so",
    LD_AUDIT: "/opt/app/steers.so",
    LD_LIBRARY_PATH: "/opt/app/wrong",
    LD_SHOW_AUXV: "1",
    LD_TRACE_LOADED_OBJECTS: "1",
    GLIBC_TUNABLES: "glibc.malloc.check=3:glibc.malloc.perturb=255",
    MALLOC_TRACE: "/tmp/trace",
    LOCALDOMAIN: "other.test",
    RES_OPTIONS: "debug",
    BUN_OPTIONS: "--print process.env",
    BUN_BE_BUN: "1",
    RUST_BACKTRACE: "full",
  };
  for (const [name, value] of Object.entries(rows)) {
    inRoot(
      name,
      async () => {
        // The machine's own root: a loader would find its libraries there.
        const where = { root: "/", app: glibc.app, bundle: bundleFolder };
        const ended = await runInRoot({
          ...where,
          words: ["--version"],
          environment: { [name]: value },
        });
        expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
        expect(ended.stdout).toMatch(/^svc-wrapper \d+\.\d+\.\d+\n$/);
      },
      TIMEOUT_MS,
    );
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
