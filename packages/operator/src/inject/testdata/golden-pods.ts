import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePod } from "../../pod/parse-pod.ts";
import type { Pod } from "../../pod/pod.ts";
import type { SvcConfig } from "../../svc-config/svc-config.ts";
import { decideInjection, type KnownContext } from "../decide-injection.ts";
import type { ImageAnswer } from "../find-program.ts";
import type { Injection } from "../injection.ts";
import { type OperatorSettings, operatorDefaults } from "../operator-settings.ts";

const folder = join(import.meta.dirname, "pods");

/** A pod of the folder with all that is known around it. */
export interface GoldenPod {
  readonly name: string;
  readonly pod: Pod;
  readonly context: KnownContext;
  /** Where the expected answer is. */
  readonly expectedPath: string;
}

/** Every pod of the folder. */
export function goldenPods(): readonly GoldenPod[] {
  return readdirSync(folder).toSorted().map(goldenPod);
}

function goldenPod(name: string): GoldenPod {
  const parsed = parsePod(readYaml(join(folder, name, "pod.yaml")));
  if (!parsed.ok) throw new RangeError(`golden pod ${name}: ${parsed.problems.join("; ")}`);
  const files = readdirSync(join(folder, name));
  const has = (file: string) => files.includes(file);
  const operator = has("operator.yaml")
    ? Object(readYaml(join(folder, name, "operator.yaml")))
    : {};
  // The files of this folder are written for this type, and the test examines the result.
  const config = has("config.yaml")
    ? (readYaml(join(folder, name, "config.yaml")) as SvcConfig)
    : undefined;
  const context = { operator: { ...goldenOperator, ...operator }, configOf: () => config, images };
  return { name, pod: parsed.pod, context, expectedPath: join(folder, name, "expected.yaml") };
}

/** The operator of every pod that names no other. */
export const goldenOperator: OperatorSettings = {
  ...operatorDefaults,
  bundle: {
    kind: "copy",
    image: "registry.test/svc-init:0.1.0",
    command: operatorDefaults.copyCommand,
    user: operatorDefaults.user,
  },
};

const images = new Map(
  Object.entries(Object(readYaml(join(import.meta.dirname, "images.yaml")))).map(
    ([image, config]) => [image, { kind: "found", config } as ImageAnswer] as const,
  ),
);

/** The decision about a pod. */
export function decided({ pod, context }: GoldenPod): Injection {
  return decideInjection({ pod, operation: "CREATE" }, context);
}

/** The text of the file with the expected answer. */
export function expectedText(golden: GoldenPod): string {
  // As it will be sent; objects that are the same in memory would become anchors.
  const plain: unknown = JSON.parse(JSON.stringify(decided(golden)));
  return `${Bun.YAML.stringify(plain, null, 2)}\n`;
}

function readYaml(path: string): unknown {
  return Bun.YAML.parse(readFileSync(path, "utf8"));
}
