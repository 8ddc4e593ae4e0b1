import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder, installPackages } from "@svc/testing";
import type { Chain, Need } from "./chain.ts";

const TESTDATA = join(import.meta.dir, "testdata");
const requirements = join(TESTDATA, "requirements.txt");
const manifest = join(TESTDATA, "node-packages.json");
const pythonFolder = folderFor("python", requirements);
const nodeFolder = folderFor("node", manifest);

/** Debian packages by a file of theirs. */
const debianPackages: Readonly<Record<`/${string}`, string>> = {
  "/usr/bin/gosu": "gosu",
  "/usr/bin/node": "nodejs",
  "/usr/bin/npm": "npm",
  "/usr/bin/ruby": "ruby",
  "/usr/bin/bundle": "bundler",
  "/usr/bin/puma": "puma",
  "/usr/bin/sidekiq": "ruby-sidekiq",
  "/usr/bin/php": "php-cli",
  "/usr/sbin/php-fpm8.2": "php8.2-fpm",
  "/usr/bin/cgi-fcgi": "libfcgi-bin",
  "/usr/sbin/apache2": "apache2",
  "/usr/sbin/nginx": "nginx-light",
  "/usr/lib/nginx/modules/ngx_http_perl_module.so": "libnginx-mod-http-perl",
  "/usr/bin/java": "default-jdk-headless",
  "/usr/bin/redis-server": "redis-server",
  "/usr/bin/s6-svscan": "s6",
  "/usr/bin/execlineb": "execline",
  "/usr/bin/runsvdir": "runit",
  "/usr/sbin/cron": "cron",
  "/usr/bin/sudo": "sudo",
  "/usr/bin/parallel": "parallel",
  "/usr/bin/lua5.4": "lua5.4",
  "/usr/bin/tclsh": "tcl",
  "/usr/bin/erl": "erlang-base",
  "/usr/bin/entr": "entr",
  "/usr/bin/strace": "strace",
  "/usr/bin/busybox": "busybox-static",
  "/usr/bin/tini": "tini",
  "/usr/bin/dumb-init": "dumb-init",
  "/usr/bin/catatonit": "catatonit",
  "/usr/bin/git": "git",
};

/** Installs the needs of the chains. Returns the reason for each need that it cannot install. */
export function ensurePackages(chains: readonly Chain[]): ReadonlyMap<Need, string> {
  const problems = new Map<Need, string>();
  for (const need of new Set(chains.flatMap(({ needs = [] }) => needs))) {
    try {
      ensure(need);
    } catch (error) {
      problems.set(need, error instanceof Error ? error.message.slice(0, 200) : String(error));
    }
  }
  return problems;
}

/** The folders in which a chain finds its programs. */
export function pathOf({ needs = [] }: Chain, folder: string): string {
  const own = [
    ...(needs.includes("python packages") ? [join(pythonFolder, "venv/bin")] : []),
    ...(needs.includes("node packages") ? [join(nodeFolder, "node_modules/.bin")] : []),
  ];
  const go = Bun.which("go");
  const system = ["/usr/local/sbin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  return [...own, folder, ...system, ...(go === null ? [] : [dirname(go)])].join(":");
}

/** The folder of npm's packages. */
export const nodeModules = join(nodeFolder, "node_modules");

function ensure(need: Need): void {
  switch (need) {
    case "python packages":
      makePythonFolder();
      break;
    case "node packages":
      makeNodeFolder();
      break;
    case "systemd":
      if (!existsSync("/run/systemd/system")) throw new TypeError("it is not the first process");
      break;
    case "dotnet":
      if (Bun.which("dotnet") === null) throw new TypeError("Debian has no package of .NET");
      break;
    default:
      if (!existsSync(need)) installPackages([debianPackages[need] ?? need]);
  }
}

function makePythonFolder(): void {
  completeOnce(pythonFolder, () => {
    run(["/usr/bin/python3", "-m", "venv", join(pythonFolder, "venv")]);
    run([join(pythonFolder, "venv/bin/pip"), "install", "--no-deps", "-r", requirements]);
  });
}

function makeNodeFolder(): void {
  completeOnce(nodeFolder, () => {
    writeFileSync(join(nodeFolder, "package.json"), readFileSync(manifest));
    run(["npm", "install", "--no-audit", "--no-fund", "--prefix", nodeFolder]);
  });
}

/**
 * A folder that a run has not completed is made again: its scripts name it, so it cannot be moved.
 */
function completeOnce(folder: string, fill: () => void): void {
  const complete = join(folder, "complete");
  if (existsSync(complete)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  fill();
  writeFileSync(complete, "");
}

function folderFor(kind: string, list: string): string {
  const hash = createHash("sha256").update(readFileSync(list)).digest("hex").slice(0, 16);
  return join(cacheFolder(process.env), `e2e-chains-${kind}-${hash}`);
}

function run(words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...words], { env: process.env });
  if (exitCode !== 0) throw new TypeError(`${words.join(" ")}: ${stderr.toString()}`);
}
