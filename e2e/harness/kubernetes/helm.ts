import { join } from "node:path";
import { cacheFolder, type KubernetesObject, temporaryFolder } from "@svc/testing";
import { helmProgram } from "../../../scripts/helm/helm-release.ts";

/** The chart of the repository. */
export const chart = join(import.meta.dirname, "../../../deploy/charts/svc-secretstore");

/** The values that the chart requires. */
export const neededValues = {
  image: "registry.test/svc:0.1.0",
  settings: { storeAddr: "https://vault.vault:8200", releaseName: "vault" },
} as const;

/** How a helm command ended. */
export interface HelmEnded {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The input of one run of helm. */
export interface HelmRequest {
  /** values.yaml as an object. */
  readonly values?: object;
  /** The path of a kubeconfig; without one helm has no cluster. */
  readonly kubeconfig?: string;
}

/** Runs helm to its end, with separate folders. */
export async function runHelm(
  words: readonly string[],
  wanted: HelmRequest = {},
): Promise<HelmEnded> {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await Bun.write(at("values.json"), JSON.stringify(wanted.values ?? {}));
  const values = wanted.values === undefined ? [] : ["--values", at("values.json")];
  const child = Bun.spawn([helmProgram(cacheFolder(process.env)), ...words, ...values], {
    env: {
      ...{ HOME: folder.path, PATH: "/usr/bin:/bin", KUBECONFIG: wanted.kubeconfig ?? at("none") },
      ...{ HELM_CACHE_HOME: at("c"), HELM_CONFIG_HOME: at("f"), HELM_DATA_HOME: at("d") },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr, exited } = child;
  const [out, err, exitCode] = await Promise.all([stdout.text(), stderr.text(), exited]);
  return { exitCode, stdout: out, stderr: err };
}

/** The objects that the chart makes of values, without a cluster. Throws helm's complaint. */
export async function renderChart(
  values: object = neededValues,
  path = chart,
): Promise<readonly KubernetesObject[]> {
  const words = ["template", "svc-secretstore", path, "--namespace", "vault"];
  const { exitCode, stdout, stderr } = await runHelm(words, { values });
  if (exitCode !== 0) throw new TypeError(stderr);
  return parseManifest(stdout);
}

/** The objects of a manifest. */
export function parseManifest(text: string): readonly KubernetesObject[] {
  const parsed: unknown = Bun.YAML.parse(text);
  return [parsed].flat().filter(isObject);
}

function isObject(value: unknown): value is KubernetesObject {
  return typeof value === "object" && value !== null && "kind" in value && "metadata" in value;
}

/** The only object of a kind. */
export function objectOf(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, ...others] = objects.filter((object) => object.kind === kind);
  if (found === undefined || others.length > 0) throw new TypeError(`not one ${kind}`);
  return found;
}
