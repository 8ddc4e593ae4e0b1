/**
 * Measures the costs of the parts of one admission: `bun bench/admission-parts.ts [--quick]`.
 * Images come from a registry on the loopback the first time, then from the cache. It asserts
 * nothing.
 */
import { argv, stdout } from "node:process";
import {
  type AdmissionContext,
  answerReview,
  askPodImages,
  decideInjection,
  decisionLine,
  ImageLookup,
  parsePod,
  parseReview,
  registryDefaults,
} from "@svc/operator";
import {
  type GoldenPod,
  goldenPods,
  podReview,
  repository,
  serve,
  smallImage,
} from "@svc/operator/testdata";
import { summarise } from "./statistics.ts";

const names = ["nginx-args-only", "istio-injected", "thirty-containers", "not-asked"];
const { rounds, perRound } = argv.includes("--quick")
  ? { rounds: 10, perRound: 200 }
  : { rounds: 40, perRound: 1000 };

const image = smallImage();
await using registry = serve(repository({ "1": image.manifest }, image.config));
const lookup = new ImageLookup({
  settings: { ...registryDefaults, insecureRegistries: { [registry.host]: "http" } },
});

const header = ["pod", "µs review", "µs pod", "µs decide", "µs images", "µs all", "µs line"];
const lines: (readonly string[])[] = [header];
for (const name of names) lines.push(await measured(name));
stdout.write(`${lines.map((cells) => cells.join("\t")).join("\n")}\n`);

/** The same pod, with all of its images in our registry. */
function withImages({ pod }: GoldenPod): object {
  const { spec } = pod;
  const own = { image: `${registry.host}/app:1` };
  const containers = spec.containers.map((container) => ({ ...container, ...own }));
  return { ...pod, spec: { ...spec, containers } };
}

async function measured(name: string): Promise<readonly string[]> {
  const golden = goldenPods().find((candidate) => candidate.name === name);
  if (golden === undefined) throw new RangeError(`bench: there is no pod ${name}`);
  const { operator, configOf } = golden.context;
  const object = withImages(golden);
  const bytes = new TextEncoder().encode(JSON.stringify(podReview(object)));
  const imagesOf = askPodImages({
    lookup,
    credentials: async () => ({ entries: [], problems: [] }),
    architectures: ["amd64"],
  });
  const context: AdmissionContext = {
    operator,
    imagesOf,
    configsOf: async () => [configOf(undefined) ?? []].flat(),
    clusterDefault: () => configOf(undefined),
  };
  const parsed = parsePod(object);
  const review = parseReview(bytes);
  if (!parsed.ok || !review.ok) throw new TypeError(`bench: ${name} cannot be read`);
  const { pod } = parsed;
  const asked = { namespace: "shop", pod, signal: new AbortController().signal };
  const images = pod.spec.containers.flatMap((container) => container.image ?? []);
  const known = await imagesOf(images, asked);
  const asking = () => answerReview(review.request, context, performance.now() + 8000);
  const { record } = await asking();
  if (record === undefined) throw new TypeError(`bench: ${name} was not judged`);
  const parts: Readonly<Record<string, () => unknown>> = {
    review: () => parseReview(bytes),
    pod: () => parsePod(object),
    decide: () =>
      decideInjection({ pod, operation: "CREATE" }, { operator, configOf, images: known }),
    images: () => imagesOf(images, asked),
    all: async () => JSON.stringify((await asking()).review),
    line: () => decisionLine(record, new Date()),
  };
  const times = new Map(Object.keys(parts).map((part) => [part, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    // One after the other in each round, so that a slow moment of the machine falls on all of them.
    for (const [part, work] of Object.entries(parts)) {
      times.get(part)?.push(await microseconds(work));
    }
  }
  return [name, ...[...times.values()].map((samples) => summarise(samples).median.toFixed(1))];
}

/** The time of one call. */
async function microseconds(work: () => unknown): Promise<number> {
  const began = Bun.nanoseconds();
  for (let call = 0; call < perRound; call += 1) {
    const result = work();
    // Most parts are done when they return: to wait for nothing has a price, too.
    if (result instanceof Promise) await result;
  }
  return (Bun.nanoseconds() - began) / perRound / 1000;
}
