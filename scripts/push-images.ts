/**
 * Pushes the images of dist/images: `bun scripts/push-images.ts REGISTRY [--dry-run]`, where
 * REGISTRY is HOST[:PORT][/PATH]. Credentials are read as Docker reads them. PLAIN_HTTP=true asks
 * registries without TLS.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { version } from "../packages/protocol/src/version.ts";
import { cacheFolder } from "../packages/testing/src/cache-folder.ts";
import { TestingError } from "../packages/testing/src/errors.ts";
import { buildCrane } from "./crane/build-crane.ts";
import { imagePlans } from "./images/image-plan.ts";
import { layoutDigest } from "./images/make-images.ts";
import { pushFailure } from "./images/push-failure.ts";

const root = join(import.meta.dirname, "..");
const isDry = argv.includes("--dry-run");
const [given, ...others] = argv.slice(2).filter((word) => word !== "--dry-run");
const registry = given?.replace(/\/+$/, "");

if (registry === undefined || registry === "" || others.length > 0) {
  fail("usage: make push REGISTRY=HOST[:PORT][/PATH], as REGISTRY=registry.example/svc", 2);
}
const folders = imagePlans.map(({ name }) => ({ name, folder: join(root, "dist/images", name) }));
const missing = folders.filter(({ folder }) => !existsSync(join(folder, "index.json")));
if (missing.length > 0) {
  fail(`not there: ${missing.map(({ name }) => name).join(", ")}\nhint: make images`, 1);
}

const crane = await craneOrFail();
for (const { name, folder } of folders) {
  const reference = `${registry}/${name}:${version}`;
  if (!isDry) push(folder, reference);
  stdout.write(`${isDry ? "would push" : "pushed"} ${reference}@${layoutDigest(folder)}\n`);
}

function push(folder: string, reference: string): void {
  const insecure = env["PLAIN_HTTP"] === "true" ? ["--insecure"] : [];
  const { exitCode, stderr } = Bun.spawnSync([crane, "push", ...insecure, folder, reference]);
  if (exitCode !== 0) fail(pushFailure(reference, stderr.toString()), 1);
}

async function craneOrFail(): Promise<string> {
  try {
    return await buildCrane(cacheFolder(env), env, (line) => void stderr.write(`push: ${line}\n`));
  } catch (error) {
    if (!(error instanceof TestingError)) throw error;
    fail(error.message, 1);
  }
}

function fail(message: string, exitCode: number): never {
  stderr.write(`push: ${message}\n`);
  exit(exitCode);
}
