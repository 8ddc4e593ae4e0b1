/**
 * Pushes the images of dist/images, and the charts below REGISTRY/charts: `bun scripts/push.ts
 * REGISTRY [--dry-run]`, in which REGISTRY is HOST[:PORT][/PATH]. The charts have REGISTRY written
 * into them. Credentials are read as Docker reads them. PLAIN_HTTP=true asks registries without
 * TLS.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { version } from "../packages/protocol/src/index.ts";
import { cacheFolder, TestingError, temporaryFolder } from "../packages/testing/src/tools.ts";
import { buildCrane } from "./crane/build-crane.ts";
import { buildHelm } from "./helm/build-helm.ts";
import { imagePlans } from "./images/image-plan.ts";
import { layoutDigest } from "./images/make-images.ts";
import { pushFailure } from "./images/push-failure.ts";
import { charts, releaseChart } from "./release/release-chart.ts";

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

const crane = await toolOrFail(buildCrane);
for (const { name, folder } of folders) {
  const reference = `${registry}/${name}:${version}`;
  if (!isDry) push(folder, reference);
  stdout.write(`${isDry ? "would push" : "pushed"} ${reference}@${layoutDigest(folder)}\n`);
}

const helm = await toolOrFail(buildHelm);
for (const name of charts) {
  const reference = `${registry}/charts/${name}:${version}`;
  if (!isDry) pushChart(name, reference, helm);
  stdout.write(`${isDry ? "would push" : "pushed"} oci://${reference}\n`);
}

function pushChart(name: string, reference: string, program: string): void {
  using work = temporaryFolder();
  const files = join(work.path, "files");
  const place = { registry, source: env["SVC_SOURCE_URL"] || undefined };
  releaseChart(name, files, { root, helm: program, work: work.path, ...place });
  const plain = env["PLAIN_HTTP"] === "true" ? ["--plain-http"] : [];
  const archive = join(files, `${name}-${version}.tgz`);
  const words = ["push", ...plain, archive, `oci://${registry}/charts`];
  const { exitCode, stderr } = Bun.spawnSync([program, ...words]);
  if (exitCode !== 0) fail(pushFailure(reference, stderr.toString()), 1);
}

function push(folder: string, reference: string): void {
  const insecure = env["PLAIN_HTTP"] === "true" ? ["--insecure"] : [];
  const { exitCode, stderr } = Bun.spawnSync([crane, "push", ...insecure, folder, reference]);
  if (exitCode !== 0) fail(pushFailure(reference, stderr.toString()), 1);
}

async function toolOrFail(build: typeof buildCrane): Promise<string> {
  try {
    return await build(cacheFolder(env), env, (line) => void stderr.write(`push: ${line}\n`));
  } catch (error) {
    if (!(error instanceof TestingError)) throw error;
    fail(error.message, 1);
  }
}

function fail(message: string, exitCode: number): never {
  stderr.write(`push: ${message}\n`);
  exit(exitCode);
}
