/** Shows the main job: `bun scripts/demo.ts`, after `bun scripts/build.ts`. */
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { findInMemory } from "./demo/find-in-memory.ts";
import { startDemoVault } from "./demo/start-demo-vault.ts";

const root = join(import.meta.dirname, "..");
const wrapper = join(root, "dist/bin/svc-wrapper");
const say = (line: string) => void process.stdout.write(`${line}\n`);

using folder = temporaryFolder();
say("1. A real OpenBao starts (the first time it is fetched, about 180 MB); policy, role, secret.");
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

say("\n2. Any program, by environment variables (what other tools offer):");
await run({}, ["sh", join(root, "scripts/demo/prints-lengths.sh")]);

say("\n3. A program that reads the secret region (as the Go library does):");
await showRegion();

say("\n4. A secret that is not as expected: the program is not started.");
await run({ SVC_ENV_MAP: "passwort=DB_PASSWORD" }, ["touch", join(folder.path, "started")]);
say(`  the program ran: ${await Bun.file(join(folder.path, "started")).exists()}`);

async function run(changes: Record<string, string>, program: readonly string[]): Promise<void> {
  const child = Bun.spawn([wrapper, "--", ...program], {
    env: { ...environment, ...changes },
    stdio: ["inherit", "inherit", "inherit"],
  });
  say(`  exit status: ${await child.exited}`);
}

async function showRegion(): Promise<void> {
  const reader = join(folder.path, "reads-region");
  const { exitCode } = Bun.spawnSync([
    "gcc",
    "-o",
    reader,
    join(root, "scripts/demo/reads-region.c"),
  ]);
  if (exitCode !== 0) throw new Error("gcc could not build the demo program");
  const child = Bun.spawn([wrapper, "--", reader], {
    env: { ...environment, SVC_DELIVERY: "library" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = child.stdout.getReader();
  const first = await output.read();
  process.stdout.write(first.value ?? new Uint8Array());
  const pid = Number(await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text());
  say(
    `  root searches /proc/${pid}/environ: ${findInMemory(pid, "environ", vault.password)} found`,
  );
  say(`  root searches /proc/${pid}/mem: ${findInMemory(pid, "mem", vault.password)} found`);
  const wrapperHits = findInMemory(child.pid, "mem", vault.password);
  say(`  root searches the wrapper's memory: ${wrapperHits} found`);
  child.stdin.end();
  say(`  exit status, the program's own: ${await child.exited}`);
}
