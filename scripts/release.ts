/**
 * Makes a release into dist/release: `bun scripts/release.ts [amd64|arm64]`, after `make images`.
 * REGISTRY is the place of published images and charts, SVC_SOURCE_URL the place of the sources;
 * charts have both written into them. MINISIGN_KEY is a file with minisign's secret key, to sign
 * SHA256SUMS with.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { cacheFolder } from "../packages/testing/src/tools.ts";
import { architectures } from "./build/bundle/architecture.ts";
import { buildHelm } from "./helm/build-helm.ts";
import { imagePlans } from "./images/image-plan.ts";
import { buildNfpm } from "./nfpm/build-nfpm.ts";
import { makeRelease } from "./release/make-release.ts";
import { signRelease } from "./release/sign.ts";

const root = join(import.meta.dirname, "..");
const say = (line: string) => void stderr.write(`release: ${line}\n`);
const images = join(root, "dist/images");
const target = join(root, "dist/release");

const missing = imagePlans.filter(({ name }) => !existsSync(join(images, name, "index.json")));
if (missing.length > 0) {
  say(`no image ${missing.map(({ name }) => name).join(", ")}\nhint: make images`);
  exit(1);
}
const machines = argv.slice(2);
const chosen = architectures.filter(({ debianName }) => {
  return machines.length === 0 || machines.includes(debianName);
});
if (chosen.length === 0) {
  say(`unknown: ${machines.join(", ")}`);
  exit(2);
}
try {
  const cache = cacheFolder(env);
  const files = await makeRelease({
    ...{ root, cacheFolder: cache, images, target, say },
    nfpm: await buildNfpm(cache, env, say),
    helm: await buildHelm(cache, env, say),
    architectures: chosen.map(({ name }) => name),
    registry: env["REGISTRY"] || undefined,
    source: env["SVC_SOURCE_URL"] || undefined,
  });
  const key = env["MINISIGN_KEY"];
  const problem = key ? signRelease(target, key) : undefined;
  if (problem !== undefined) {
    say(problem);
    exit(1);
  }
  for (const name of files) {
    const { size } = statSync(join(target, name));
    stdout.write(`dist/release/${name}: ${(size / 1e6).toFixed(1)} MB\n`);
  }
  if (!key) say("SHA256SUMS is not signed: MINISIGN_KEY names no key");
} catch (error) {
  // A full disk, a compiler that is missing: the message says which step it was.
  say(error instanceof Error ? error.message : String(error));
  exit(1);
}
