/**
 * Measures the cost of an init process while its program runs: `bun bench/processes.ts [--quick]`
 * after `bun scripts/build.ts`; a minute, or ten seconds. The wrapper and other init programs take
 * turns. It asserts nothing; bench/README.md says how to read the figures.
 */
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { startDevStore } from "@svc/devstore";
import { temporaryFolder } from "@svc/testing";
import { compileProgram } from "./compile-programs.ts";
import { copiesMemory } from "./processes/copies-memory.ts";
import { type Init, orphanCost, signalCost } from "./processes/init-cost.ts";
import { summarise } from "./statistics.ts";

const quick = argv.includes("--quick");
const ROUNDS = quick ? 1 : 5;
const ORPHANS = quick ? 1000 : 2000;
const SIGNALS = quick ? 100 : 300;
const COPIES = quick ? 5 : 50;

using folder = temporaryFolder();
await using store = startDevStore({ secrets: { "secret/data/app": { password: "a value" } } });
const env = {
  PATH: "/usr/bin:/bin",
  VAULT_ADDR: store.address,
  VAULT_TOKEN: store.token,
  SVC_SECRET_PATHS: "secret/data/app",
  SVC_ENV_MAP: "password=DB_PASSWORD",
  SVC_DELIVERY: "inject",
  SVC_LOG_LEVEL: "error",
  HEALTH_ADDR: "127.0.0.1:0",
};
const wrapper = join(import.meta.dir, "../dist/bin/svc-wrapper");
const others = [
  ["tini", "-s", "--"],
  ["dumb-init", "--"],
  ["catatonit", "--"],
];
const inits: readonly Init[] = [
  { name: "svc-wrapper", command: [wrapper, "--"], env },
  ...others.flatMap(([name = "", ...words]) => {
    const path = Bun.which(name);
    return path === null ? [] : [{ name, command: [path, ...words], env: {} }];
  }),
];

const programs = {
  orphans: compileProgram("orphans", folder.path, []),
  signalled: compileProgram("signalled", folder.path, []),
};
const reaped = new Map<string, number[]>();
const forwarded = new Map<string, { cpu: number[]; latency: number[] }>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const init of inits) {
    const perOrphan = await orphanCost(init, programs.orphans, ORPHANS);
    reaped.set(init.name, [...(reaped.get(init.name) ?? []), perOrphan]);
    const { cpuUs, latencyUs } = await signalCost(init, programs.signalled, SIGNALS);
    const seen = forwarded.get(init.name) ?? { cpu: [], latency: [] };
    seen.cpu.push(cpuUs);
    seen.latency.push(...latencyUs);
    forwarded.set(init.name, seen);
  }
}

stdout.write(
  "| init | CPU an orphan, µs | CPU a signal, µs | a signal there, µs, median | p95 |\n",
);
stdout.write("| --- | --: | --: | --: | --: |\n");
for (const { name } of inits) {
  const { cpu = [], latency = [] } = forwarded.get(name) ?? {};
  const there = summarise(latency);
  const cells = [
    summarise(reaped.get(name) ?? []).median,
    summarise(cpu).median,
    there.median,
    there.p95,
  ];
  stdout.write(`| ${[name, ...cells.map((us) => us.toFixed(1))].join(" | ")} |\n`);
}

stdout.write("\n| wrappers, each from its own copy | proportional, MiB | resident, MiB |\n");
stdout.write("| --- | --: | --: |\n");
const { proportionalMiB, residentMiB } = await copiesMemory(wrapper, env, COPIES);
const sizes = [proportionalMiB, residentMiB].map((size) => size.toFixed(0));
stdout.write(`| ${[COPIES, ...sizes].join(" | ")} |\n`);
