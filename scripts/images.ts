/**
 * Makes the images as OCI layouts in dist/images: `bun scripts/images.ts [amd64|arm64 ...] [NAME
 * ...]`. All of them for both architectures if nothing is said.
 */
import { join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { cacheFolder } from "../packages/testing/src/tools.ts";
import { architectures } from "./build/bundle/architecture.ts";
import { buildCrane } from "./crane/build-crane.ts";
import { imagePlans } from "./images/image-plan.ts";
import { makeImages } from "./images/make-images.ts";
import { readRevision } from "./images/read-revision.ts";

const root = join(import.meta.dirname, "..");
const words = argv.slice(2);
const say = (line: string) => void stderr.write(`images: ${line}\n`);
const chosenArchitectures = architectures.filter(({ debianName }) => words.includes(debianName));
const chosenPlans = imagePlans.filter(({ name }) => words.includes(name));
const known = [
  ...architectures.map(({ debianName }) => debianName),
  ...imagePlans.map((x) => x.name),
];
const unknown = words.filter((word) => !(known as readonly string[]).includes(word));
if (unknown.length > 0) {
  say(`unknown: ${unknown.join(", ")}; known are ${known.join(", ")}`);
  exit(2);
}
const orAll = <T>(chosen: readonly T[], all: readonly T[]) => (chosen.length > 0 ? chosen : all);

try {
  const cache = cacheFolder(env);
  const made = await makeImages(
    {
      names: orAll(chosenPlans, imagePlans).map(({ name }) => name),
      architectures: orAll(chosenArchitectures, architectures).map(({ name }) => name),
    },
    {
      root,
      cacheFolder: cache,
      crane: await buildCrane(cache, env, say),
      target: join(root, "dist/images"),
      facts: { revision: readRevision(root), source: env["SVC_SOURCE_URL"] },
      say,
    },
  );
  for (const { name, digest, bytes } of made) {
    const sizes = Object.entries(bytes).map(
      ([arch, size]) => `${arch} ${(size / 1e6).toFixed(1)} MB`,
    );
    stdout.write(`dist/images/${name}: ${digest}, ${sizes.join(", ")}\n`);
  }
} catch (error) {
  // A full disk, a compiler that is missing: the message says which step it was.
  say(error instanceof Error ? error.message : String(error));
  exit(1);
}
