/**
 * Shows the main job: `bun scripts/demo.ts`. It builds the wrapper, and nothing else that it does
 * not show. The first run compiles the engine without the optimisations of a release, which would
 * take as long again.
 */
import { join } from "node:path";
import { cacheFolder, fetchOpenBao, temporaryFolder } from "@svc/testing";
import { ownArchitecture } from "./build/bundle/architecture.ts";
import { buildPreload } from "./build/preload.ts";
import { findInMemory } from "./demo/find-in-memory.ts";
import { startDemoVault } from "./demo/start-demo-vault.ts";
import { buildEngineWrapper } from "./engine/build-wrapper.ts";
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { Steps } from "./results/steps.ts";

if (process.getuid?.() !== 0) {
  process.stderr.write(
    "demo: needs root: it searches a program's memory as an attacker with root would\n" +
      "hint: run it as root, for example: sudo make demo\n",
  );
  process.exit(1);
}

const root = join(import.meta.dirname, "..");
const architecture = ownArchitecture();
const wrapper = join(root, "dist/demo/svc-wrapper");
const say = (line: string) => void process.stdout.write(`${line}\n`);

ensureNeeds("demo");
const steps = new Steps((line) => say(`demo: ${line}`));
buildPreload(root, architecture.name);
await Promise.all([
  buildEngineWrapper({ kind: "demo", architecture, target: wrapper }, steps),
  steps.run("fetch OpenBao", () => fetchOpenBao(cacheFolder(process.env), process.env)),
]);
say(`demo: ready after ${steps.summary()}\n`);

using folder = temporaryFolder();
say("1. A real OpenBao starts; policy, role, secret.");
await using vault = await startDemoVault(folder.path);
const environment = {
  PATH: process.env["PATH"] ?? "",
  VAULT_ADDR: vault.address,
  VAULT_AUTH_ROLE: "demo",
  SVC_AUTH_JWT_PATH: vault.jwtPath,
  SVC_SECRET_PATHS: "secret/data/app",
  SVC_ENV_MAP: "password=DB_PASSWORD,url=DB_URL",
  SVC_ROTATION: "none",
  HEALTH_ADDR: "127.0.0.1:0",
  SVC_LOG_FORMAT: "text",
};

const anyProgram = compile("has-variables");
say("\n2. Any program, its values in environment variables (the way of other tools):");
await search("env", [anyProgram]);

say("\n3. The same program, unchanged, as the wrapper delivers by itself:");
await search("auto", [anyProgram]);

say("\n4. The same behind an entrypoint script:");
await search("auto", [join(root, "scripts/demo/entrypoint.sh"), anyProgram]);

say("\n5. A program that reads the secret region (as the Go library does):");
await search("library", [compile("reads-region")]);

say("\n6. A secret that is not as expected: the program is not started.");
await run({ SVC_ENV_MAP: "passwort=DB_PASSWORD" }, ["touch", join(folder.path, "started")]);
say(`  the program ran: ${await Bun.file(join(folder.path, "started")).exists()}`);

async function run(changes: Record<string, string>, program: readonly string[]): Promise<void> {
  const child = Bun.spawn([wrapper, "--", ...program], {
    env: { ...environment, ...changes },
    stdio: ["inherit", "inherit", "inherit"],
  });
  say(`  exit status: ${await child.exited}`);
}

/** Starts a program, waits for its message, and searches it as root. */
async function search(delivery: string, program: readonly string[]): Promise<void> {
  const child = Bun.spawn([wrapper, "--", ...program], {
    env: { ...environment, SVC_DELIVERY: delivery },
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    process.stdout.write(chunk);
    if (!new TextDecoder().decode(chunk).includes("DB_URL")) continue;
    const pid = Number(await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text());
    sayFound(`/proc/${pid}/environ`, findInMemory(pid, "environ", vault.password));
    sayFound(`/proc/${pid}/mem`, findInMemory(pid, "mem", vault.password));
    sayFound("the wrapper's memory", findInMemory(child.pid, "mem", vault.password));
    child.stdin.end();
  }
  say(`  exit status, the program's own: ${await child.exited}`);
}

function sayFound(where: string, count: number): void {
  say(`  root searches ${where}: ${count} found`);
}

function compile(name: string): string {
  const target = join(folder.path, name);
  const source = join(root, `scripts/demo/${name}.c`);
  const { exitCode, stderr } = Bun.spawnSync(["gcc", "-o", target, source]);
  if (exitCode !== 0) throw new Error(`gcc could not build ${source}: ${stderr.toString()}`);
  return target;
}
