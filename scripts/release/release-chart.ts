import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../packages/protocol/src/index.ts";
import { runTool } from "../build/bundle/run-tool.ts";
import { imagePlans } from "../images/image-plan.ts";

/** The charts that there are. */
export const charts = ["svc", "svc-secretstore"] as const;

/** The facts in a published chart that one in the repository lacks. */
export interface ChartPlace {
  readonly registry: string | undefined;
  readonly source: string | undefined;
}

/** How a chart is packaged. */
export interface ChartOptions extends ChartPlace {
  readonly root: string;
  readonly helm: string;
  readonly work: string;
}

/**
 * Packages a chart of deploy/charts into `files`, with the places in which its release is
 * published.
 */
export function releaseChart(name: string, files: string, options: ChartOptions): void {
  const { root, helm, work } = options;
  const folder = join(work, `charts/${name}`);
  // The dependency is a link in the repository, and a folder here.
  cpSync(join(root, "deploy/charts", name), folder, { recursive: true, dereference: true });
  for (const chart of [
    folder,
    ...(name === "svc" ? [join(folder, "charts/svc-secretstore")] : []),
  ]) {
    rewrite(join(chart, "Chart.yaml"), (text) => publishedChart(text, options));
    rewrite(join(chart, "values.yaml"), (text) => publishedValues(text, options));
  }
  mkdirSync(files, { recursive: true });
  runTool([helm, "package", folder, "--destination", files]);
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** Chart.yaml with `home`, `sources` and `icon`, and the images for Artifact Hub. */
export function publishedChart(text: string, { registry, source }: ChartPlace): string {
  const places =
    source === undefined
      ? ""
      : `home: ${source}\nsources:\n  - ${source}\nicon: ${source}/raw/v${version}/docs/images/logo.svg\n`;
  const lines = imagePlans.map(({ name }) => {
    return `    - name: ${name}\n      image: ${registry}/${name}:${version}\n`;
  });
  const images = registry === undefined ? "" : `  artifacthub.io/images: |\n${lines.join("")}`;
  return `${places}${text}${images}`;
}

/** values.yaml with the registry, so that a published chart installs without a value. */
export function publishedValues(text: string, { registry }: ChartPlace): string {
  if (registry === undefined) return text;
  const line = /^registry: ""$/m;
  if (!line.test(text)) throw new Error('values.yaml has no line `registry: ""`');
  return text.replace(line, `registry: ${JSON.stringify(registry)}`);
}
