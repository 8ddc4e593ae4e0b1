import { afterAll, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, fetchOpenBao, temporaryFolder } from "@svc/testing";
import { helmProgram } from "../../../scripts/helm/helm-release.ts";
import { applicationImages } from "../images/application-images.ts";
import { pushImage } from "../images/push-image.ts";
import { tryTool } from "../run-tool.ts";
import { diskOf, STORE, storeObjects } from "../store/store-objects.ts";
import { storyCluster } from "../story-cluster.ts";

// Not a .test.ts: it needs a cluster, apart from the other stories, which has nothing of svc.
const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/guides/kubernetes.md"), "utf8");
const cluster = storyCluster();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);

/** The commands of the guide, block by block. */
const blocks = [...guide.matchAll(/^```sh\n(?<text>.*?)^```$/gms)].map(
  ({ groups }) => groups?.["text"] ?? "",
);

/** Blocks that this test does not run as they are. */
const instead: readonly (readonly [begins: string, act: (block: string) => Promise<void>])[] = [
  ["export REGISTRY=", setNames],
  ["export REGISTRY_CA=", () => run(`export REGISTRY_CA=${cluster.state.caFile}`)],
  // The plan of tests has made them.
  ["make images", async () => undefined],
  // OpenBao's chart is in no registry of packages. Its objects have the same names.
  ["helm repo add openbao", installStore],
];

test("the commands of the guide for Kubernetes lead to a pod with a secret", async () => {
  await prepare();
  for (const block of blocks) {
    const other = instead.find(([begins]) => block.startsWith(begins));
    await (other === undefined ? run(block) : other[1](block));
  }
  expect(blocks.length).toBeGreaterThan(10);
  const logs = await cluster.kubectl("-n", "shop", "logs", "deployment/web");
  expect(logs).toContain("deliver by inject");
});

/** The commands that the guide asks for, and disks in the place of a StorageClass. */
async function prepare(): Promise<void> {
  const cache = cacheFolder(process.env);
  mkdirSync(at("bin"));
  symlinkSync(helmProgram(cache), at("bin/helm"));
  symlinkSync(await fetchOpenBao(cache, process.env), at("bin/bao"));
  const home = `export HOME=${folder.path} XDG_CACHE_HOME=${join(cache, "..")}`;
  writeFileSync(at("environment"), `${home}\nexport PATH=${at("bin")}:$PATH\n`);
  chmodSync(folder.path, 0o755);
  for (const pod of STORE.pods) {
    mkdirSync(diskOf(pod), { recursive: true });
    chownSync(diskOf(pod), STORE.user, STORE.user);
  }
}

async function setNames(block: string): Promise<void> {
  const { scratch } = await applicationImages(cluster.state);
  const names = block
    .replace(/REGISTRY=.*/, `REGISTRY=${cluster.state.registry}`)
    .replace(/IMAGE=.*/, `IMAGE=${scratch}`);
  await run(names);
}

async function installStore(): Promise<void> {
  const program = await fetchOpenBao(cacheFolder(process.env), process.env);
  const image = await pushImage(cluster.state, {
    name: "openbao:2.7.2",
    files: { "/bin/bao": program },
  });
  await run('cp "$TRIAL"/vault* "$HOME"');
  const certificatePem = readFileSync(at("vault.crt"), "utf8");
  const keyPem = readFileSync(at("vault.key"), "utf8");
  const caPem = readFileSync(at("vault-ca.crt"), "utf8");
  const made = ["Secret", "Namespace"];
  const objects = storeObjects({ image, certificate: { certificatePem, keyPem }, caPem });
  const isGuides = ({ kind, metadata: { name } }: (typeof objects)[number]) =>
    made.includes(kind) || name === STORE.authority;
  await cluster.apply(...objects.filter((object) => !isGuides(object)));
}

/** Runs a block as a reader does, in the shell of the blocks before. */
async function run(block: string): Promise<void> {
  const script = `set -euo pipefail; source ${at("environment")}; cd ${root}
    ${block}
    export -p > ${at("environment")}`;
  const { exitCode, stdout, stderr } = await tryTool(["bash", "-c", script]);
  if (exitCode !== 0) throw new TypeError(`${block}\nended with ${exitCode}:\n${stdout}${stderr}`);
}
