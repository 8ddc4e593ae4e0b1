/**
 * Measures the time of the operator's decision for a pod: `bun bench/injection.ts [--quick]`.
 * Beside it stand the parsing and writing of the same pod as JSON, which no webhook can do without.
 * It asserts nothing.
 */
import { argv, stdout } from "node:process";
import { decideInjection, parsePod } from "@svc/operator";
import { goldenPods } from "@svc/operator/testdata";
import { summarise } from "./statistics.ts";

const names = [
  "nginx-args-only",
  "postgres-entrypoint",
  "istio-injected",
  "thirty-containers",
  "all-wrong",
  "not-asked",
];
const { rounds, perRound } = argv.includes("--quick")
  ? { rounds: 10, perRound: 200 }
  : { rounds: 40, perRound: 1000 };

const header = ["pod", "bytes", "µs JSON", "µs check", "µs decide", "pods/s", "× JSON"];
stdout.write(`${[header, ...names.map(measured)].map((cells) => cells.join("\t")).join("\n")}\n`);

function measured(name: string): readonly string[] {
  const golden = goldenPods().find((candidate) => candidate.name === name);
  if (golden === undefined) throw new RangeError(`bench: there is no pod ${name}`);
  const { pod, context } = golden;
  const text = JSON.stringify(pod);
  // One after the other in each round, so that a slow moment of the machine falls on all of them.
  const samples = Array.from({ length: rounds }, () => ({
    json: microseconds(() => JSON.stringify(JSON.parse(text))),
    check: microseconds(() => parsePod(pod)),
    decide: microseconds(() =>
      JSON.stringify(decideInjection({ pod, operation: "CREATE" }, context)),
    ),
  }));
  const median = (key: "json" | "check" | "decide") =>
    summarise(samples.map((sample) => sample[key])).median;
  const [json, check, decide] = [median("json"), median("check"), median("decide")];
  const perSecond = Math.round(1e6 / (json + check + decide));
  return [
    ...[name, String(text.length), json.toFixed(1), check.toFixed(1), decide.toFixed(1)],
    ...[String(perSecond), ((check + decide) / json).toFixed(1)],
  ];
}

/** The time of one call. */
function microseconds(work: () => unknown): number {
  const began = Bun.nanoseconds();
  for (let call = 0; call < perRound; call += 1) work();
  return (Bun.nanoseconds() - began) / perRound / 1000;
}
