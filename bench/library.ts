/**
 * Measures the Go library: `bun bench/library.ts [--quick]`. It runs every benchmark of go/ with
 * one processor and with two, in rounds, so that a slow moment of the machine falls on all of them.
 * It prints medians, and multiples of the store's. It asserts nothing; bench/README.md says how to
 * read the figures.
 */
import { join } from "node:path";
import { argv, stderr, stdout } from "node:process";
import { temporaryFolder } from "@svc/testing";
import { runGo, runProgram } from "../scripts/go/go-command.ts";
import { type ComparedBenchmark, compareBenchmarks } from "./library/compare-benchmarks.ts";
import { parseBenchmarks } from "./library/parse-benchmarks.ts";

const library = { folder: join(import.meta.dir, "../go") };
const PROCESSORS = [1, 2] as const;
const { rounds, time } = argv.includes("--quick")
  ? { rounds: 3, time: "50ms" }
  : { rounds: 10, time: "200ms" };

using folder = temporaryFolder();
const program = join(folder.path, "benchmarks");
complete("compile the benchmarks", runGo(["test", "-c", "-o", program, "."], library));
const flags = ["-test.run=^$", "-test.bench=.", "-test.benchmem", `-test.benchtime=${time}`];
const command = [program, ...flags, `-test.cpu=${PROCESSORS.join(",")}`];
const outputs: string[] = [];
for (let round = 1; round <= rounds; round += 1) {
  stderr.write(`round ${round} of ${rounds}\n`);
  outputs.push(complete("run the benchmarks", runProgram(command, library)));
}
const compared = compareBenchmarks(parseBenchmarks(outputs.join("\n"), PROCESSORS));
if (compared.length === 0) throw new Error("run the benchmarks: there are none in go/");
stdout.write(`${[head(), ...compared.map(row)].join("\n")}\n`);

function complete(what: string, ended: ReturnType<typeof runGo>): string {
  const { exitCode, stdout: said, stderr: complained } = ended;
  if (exitCode !== 0) throw new Error(`${what}: ended with ${exitCode}: ${said}${complained}`);
  return said;
}

function head(): string {
  const titles = ["Go library", "processors", "ns", "min", "B", "allocations", "× store", "rounds"];
  return `| ${titles.join(" | ")} |\n| --- |${" --: |".repeat(titles.length - 1)}`;
}

function row(benchmark: ComparedBenchmark): string {
  const { name, processors, ns, bytes, allocations, timesStore } = benchmark;
  const times = [ns.median, ns.min].map((value) => value.toFixed(value < 1000 ? 1 : 0));
  const memory = [bytes, allocations].map((value) => value?.toFixed(0) ?? "");
  const cells = [name, processors, ...times, ...memory, timesStore?.toFixed(2) ?? "", ns.count];
  return `| ${cells.join(" | ")} |`;
}
