/**
 * Measures one replica of the compiled operator, `bun bench/admission.ts [--quick]`, beside a
 * webhook that allows without looking. It needs the results of `bun scripts/fetch-kubernetes.ts`
 * and `bun scripts/fetch-helm.ts`. It asserts nothing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { goldenPods } from "@svc/operator/testdata";
import { temporaryFolder } from "@svc/testing";
import { withValues } from "../e2e/harness/kubernetes/operator-chart.ts";
import { ownAddress } from "../e2e/operator/own-address.ts";
import { runningOperator } from "../e2e/operator/running-operator.ts";

const isQuick = argv.includes("--quick");
const count = isQuick ? 4000 : 40_000;
const folder = temporaryFolder();

interface Sent {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The API server's request for a pod. */
async function reviewOf(name: string, change: (pod: object) => object = (pod) => pod) {
  const golden = goldenPods().find((candidate) => candidate.name === name);
  if (golden === undefined) throw new RangeError(`bench: there is no pod ${name}`);
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "7a3b1c2d-0000-4000-8000-000000000000",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      operation: "CREATE",
      namespace: "shop",
      object: change(golden.pod),
      dryRun: false,
    },
  };
  const path = join(folder.path, `${name}.json`);
  await Bun.write(path, JSON.stringify(review));
  return path;
}

/** The golden pod with commands: its images are nowhere. */
function withCommands(pod: object): object {
  const { spec } = Object(pod);
  const containers = spec.containers.map((one: object) => ({ command: ["/app"], ...one }));
  return { ...pod, spec: { ...spec, containers } };
}

async function send(url: string, file: string, pace: string, times = count): Promise<Sent> {
  const script = join(import.meta.dirname, "admission/send-reviews.ts");
  const words = [process.execPath, script, url, file, String(times), pace];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new TypeError(`bench: reviews failed: ${text}`);
  return Object(JSON.parse(text));
}

function resident(pid: number): string {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return `${(Number(kib) / 1000).toFixed(1)} MB`;
}

await using operator = await runningOperator({
  values: withValues({ settings: { logLevel: "info" } }),
});
const [replica] = operator.replicas;
if (replica === undefined) throw new TypeError("bench: no replica");
const plain = Bun.spawn(
  [process.execPath, join(import.meta.dirname, "admission/plain-webhook.ts")],
  {
    stdout: "pipe",
  },
);
const reader = plain.stdout.getReader();
const plainPort = Number(new TextDecoder().decode((await reader.read()).value));
const urls = {
  plain: `https://127.0.0.1:${plainPort}/`,
  svc: `https://${ownAddress()}:${replica.port}/mutate-v1-pod?timeout=10s`,
};
const files = {
  "one container": await reviewOf("nginx-args-only", withCommands),
  "thirty containers": await reviewOf("thirty-containers", withCommands),
  "does not ask": await reviewOf("not-asked"),
};
stdout.write(`resident when ready: ${resident(replica.process.pid)}\n`);
stdout.write("pod\tpace\tplain/s\tsvc/s\tratio\tp50 ms\tp99 ms\n");
let total = 0;
for (const [name, file] of Object.entries(files)) {
  for (const pace of ["1", "16", "1000/s"]) {
    // The first ones are compiled while they run.
    for (const url of Object.values(urls)) await send(url, file, "8", 2000);
    const other = await send(urls.plain, file, pace);
    const own = await send(urls.svc, file, pace);
    total += count + 2000;
    const numbers = [other.perSecond, own.perSecond].map((number) => number.toFixed(0));
    const ratio = (own.perSecond / other.perSecond).toFixed(2);
    const cells = [name, pace, ...numbers, ratio, own.p50.toFixed(2), own.p99.toFixed(2)];
    stdout.write(`${cells.join("\t")}\n`);
  }
}
stdout.write(`resident after ${total} admissions: ${resident(replica.process.pid)}\n`);
// It returns the memory of these requests when no client asks any more.
await Bun.sleep(12_000);
stdout.write(`resident twelve seconds later: ${resident(replica.process.pid)}\n`);
plain.kill();
folder[Symbol.dispose]();
process.exit(0);
