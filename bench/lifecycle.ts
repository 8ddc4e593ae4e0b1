/**
 * Measures the costs of renewal and rotation: `bun bench/lifecycle.ts [--quick]` after `bun
 * scripts/build.ts` and `bun scripts/fetch-openbao.ts`; eight minutes, or one. It asserts nothing;
 * bench/README.md says how to read the figures.
 */
import { argv, stdout } from "node:process";
import { temporaryFolder } from "@svc/testing";
import { type RenewalRun, type RenewalRunOptions, renewalRun } from "./lifecycle/renewal-run.ts";
import { rotationDowntime } from "./lifecycle/rotation-downtime.ts";

const part = argv.includes("--quick") ? 0.1 : 1;
/** 24 hours of a renewal every 30 s. */
const DAY_RENEWALS = 2880;

const runs: readonly RenewalRunOptions[] = [
  {
    name: "a day of renewals",
    ...{ size: 12, ttlS: 2, renewalInterval: "500ms" },
    ...{ renewals: DAY_RENEWALS * part, checks: 0 },
  },
  {
    name: "1,000 checks of one wrapper",
    ...{ size: 1, ttlS: 2, renewalInterval: "100ms" },
    ...{ renewals: 0, checks: 1000 * part },
  },
  {
    name: "200 wrappers",
    ...{ size: 200, ttlS: 20, renewalInterval: "5s" },
    ...{ renewals: 1000 * part, checks: 2000 * part },
  },
];

using folder = temporaryFolder();
stdout.write(
  "| rotation: old exit to new first instruction, ms | median | min | p95 | rotations |\n",
);
stdout.write("| --- | --: | --: | --: | --: |\n");
for (const delivery of ["env", "inject", "preload"] as const) {
  const { median, min, p95, count } = await rotationDowntime(delivery, 40 * part, folder.path);
  const cells = [median, min, p95].map((ms) => ms.toFixed(1));
  stdout.write(`| ${[delivery, ...cells, count].join(" | ")} |\n`);
}
stdout.write(`\n${head()}`);
for (const options of runs) stdout.write(row(await renewalRun(options)));

function head(): string {
  const titles = ["renewals", "wrappers", "s", "renewed", "checks", "missed", "CPU a check, ms"];
  const cells = [...titles, "anonymous, MiB, ¼ and end", "descriptors, ¼ and end"];
  return `| ${cells.join(" | ")} |\n| --- |${" --: |".repeat(cells.length - 1)}\n`;
}

function row(run: RenewalRun): string {
  const cells = [
    run.name,
    run.wrappers,
    run.seconds.toFixed(0),
    run.renewed,
    run.checks,
    run.missed,
    run.processorMsPerCheck.toFixed(1),
    run.anonymousMiB.map((size) => size.toFixed(2)).join(", "),
    run.descriptors.join(", "),
  ];
  return `| ${cells.join(" | ")} |\n`;
}
