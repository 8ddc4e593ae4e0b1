/**
 * Needs the images of this machine's architecture in dist/images: `bun scripts/images.ts amd64`.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, temporaryFolder } from "@svc/testing";
import { ownArchitecture } from "../../scripts/build/bundle/architecture.ts";
import { buildCrane } from "../../scripts/crane/build-crane.ts";
import { helmProgram } from "../../scripts/helm/helm-release.ts";
import { startCraneRegistry } from "../../scripts/images/crane-registry.ts";
import { imagePlans } from "../../scripts/images/image-plan.ts";
import { layoutDigest, makeImages } from "../../scripts/images/make-images.ts";
import { readRevision } from "../../scripts/images/read-revision.ts";
import { charts } from "../../scripts/release/release-chart.ts";

const root = join(import.meta.dirname, "../..");
const images = join(root, "dist/images");
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const crane = await buildCrane(cacheFolder(env), env, () => undefined);
const { debianName } = ownArchitecture();

/** An image's configuration, and its files in a folder. */
function unpacked(name: string) {
  const layout = join(images, name);
  const blob = (digest: string) => join(layout, "blobs", digest.replace(":", "/"));
  const json = (digest: string) => JSON.parse(readFileSync(blob(digest), "utf8"));
  const index = json(layoutDigest(layout));
  const { digest } = index.manifests.find(
    ({ platform }: { platform: { architecture: string } }) => platform.architecture === debianName,
  );
  const { config, layers } = json(digest);
  const files = join(folder.path, name);
  if (!existsSync(files)) {
    mkdirSync(files);
    Bun.spawnSync(["tar", "-xzf", blob(layers[0].digest), "-C", files]);
  }
  return { config: json(config.digest), layers, files };
}

/** Runs the image's entry point with its files as the root, and nothing else but /proc. */
function run(name: string, words: readonly string[], user: string) {
  const { files, config } = unpacked(name);
  for (const made of ["proc", "target"]) mkdirSync(join(files, made), { recursive: true });
  chmodSync(join(files, "target"), 0o777);
  const script =
    'mount -t proc proc "$1/proc" && root=$1 user=$2 && shift 2 && exec chroot --userspec="$user" "$root" "$@"';
  const command = ["unshare", "--mount", "sh", "-c", script, "sh", files, user];
  const child = Bun.spawnSync([...command, ...config.config.Entrypoint, ...words], { env: {} });
  return {
    exitCode: child.exitCode,
    stdout: child.stdout.toString(),
    stderr: child.stderr.toString(),
  };
}

describe.each(imagePlans)("the image $name", ({ name, user, description }) => {
  test("names its user, its program, and its machine", () => {
    const { config, layers } = unpacked(name);
    expect(config).toMatchObject({ architecture: debianName, os: "linux" });
    expect(config.config.User).toBe(user);
    expect(config.config.Labels).toMatchObject({
      "org.opencontainers.image.title": name,
      "org.opencontainers.image.description": description,
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
    expect(layers).toHaveLength(1);
  });

  test("belongs to root, and only root may write to it", () => {
    const { files } = unpacked(name);
    const other = [
      "(",
      "-not",
      "-uid",
      "0",
      "-o",
      "-not",
      "-gid",
      "0",
      "-o",
      "-perm",
      "/7022",
      ")",
    ];
    const mine = ["-path", join(files, "proc"), "-o", "-path", join(files, "target")];
    const words = [
      files,
      "(",
      ...mine,
      ")",
      "-prune",
      "-o",
      "-not",
      "-type",
      "l",
      ...other,
      "-print",
    ];
    const { stdout } = Bun.spawnSync(["find", ...words]);
    expect(stdout.toString()).toBe("");
  });

  test("runs as its user with only its own files", () => {
    const { exitCode, stdout, stderr } = run(name, ["--version"], user);
    expect(stderr).toBe("");
    expect(stdout).toMatch(new RegExp(`^${name} \\d`));
    expect(exitCode).toBe(0);
  });
});

test("the wrapper's image installs its bundle, which runs from there", () => {
  const first = run("svc-wrapper", ["--install", "/target"], "65532:65532");
  expect(first.stderr).toBe("");
  expect(first.stdout).toContain(" files copied, 0 kept");
  expect(run("svc-wrapper", ["--install", "/target"], "1000:0").stdout).toContain(
    " 0 files copied",
  );
  const { files } = unpacked("svc-wrapper");
  const manifest = (path: string) => readFileSync(join(files, path, "manifest.json"), "utf8");
  expect(manifest("target")).toBe(manifest("."));
});

describe("the same sources give the same digest", () => {
  test("of the wrapper's image, made again in another folder", async () => {
    const target = join(folder.path, "again");
    const facts = { revision: readRevision(root), source: env["SVC_SOURCE_URL"] };
    const options = {
      root,
      cacheFolder: cacheFolder(env),
      crane,
      target,
      facts,
      say: () => undefined,
    };
    const wanted = { names: ["svc-wrapper"], architectures: [ownArchitecture().name] } as const;
    const [made] = await makeImages(wanted, options);
    const [again] = await makeImages(wanted, options);
    expect(made?.digest).toBe(again?.digest);
    expect(layoutDigest(join(target, "svc-wrapper"))).toBe(String(again?.digest));
  });
});

test("a push gives a registry the digests of the layouts, and charts that name it", async () => {
  const work = join(folder.path, "registry");
  mkdirSync(work);
  await using registry = await startCraneRegistry(crane, work);
  const [at = ""] = registry.reference("", "").split("/");
  const push = Bun.spawn(["bun", "scripts/push.ts", `${at}/team`], {
    cwd: root,
    env: { ...env, PATH: `${join(process.execPath, "..")}:${env["PATH"]}`, PLAIN_HTTP: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    push.stdout.text(),
    push.stderr.text(),
    push.exited,
  ]);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(imagePlans.length + charts.length);
  for (const { name } of imagePlans) {
    const digest = layoutDigest(join(images, name));
    expect(stdout).toContain(`pushed ${at}/team/${name}:`);
    const tag = /:([^:@]+)@/.exec(lines.find((line) => line.includes(`/${name}:`)) ?? "")?.[1];
    expect(registry.crane("digest", registry.reference(`team/${name}`, String(tag)))).toBe(digest);
  }
  for (const name of charts) {
    const chart = `oci://${at}/team/charts/${name}`;
    const helm = helmProgram(cacheFolder(env));
    const shown = Bun.spawnSync([helm, "show", "values", chart, "--plain-http"]);
    expect(shown.stdout.toString()).toContain(`registry: "${at}/team"`);
  }
  // As it comes: it knows its images.
  const chart = ["oci://", at, "/team/charts/svc"].join("");
  const words = ["template", "svc", chart, "--namespace", "svc-system", "--plain-http"];
  const rendered = Bun.spawnSync([helmProgram(cacheFolder(env)), ...words]);
  expect(rendered.stdout.toString()).toContain(`image: "${at}/team/svc-operator:`);
});
