/**
 * Measures the cost of following for programs that start programs: `bun bench/follow.ts [--quick]
 * [--wrapper PROGRAM] [-- COMMAND …]` after `bun scripts/build.ts`. Without a command it is a shell
 * that starts /bin/true a thousand times; a build is a good command, too. Bare and every way of the
 * wrapper take turns. It asserts nothing; bench/README.md says how to read the figures.
 */
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { startDevStore } from "@svc/devstore";
import { summarise } from "./statistics.ts";

const LOOP = "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done";
const words = argv.slice(2);
const cut = words.includes("--") ? words.indexOf("--") : words.length;
const flags = words.slice(0, cut);
const given = words.slice(cut + 1);
const command = given.length > 0 ? given : ["/bin/sh", "-c", LOOP];
const rounds = flags.includes("--quick") ? 3 : 9;
const named = flags.indexOf("--wrapper");
const wrapper =
  (named >= 0 ? flags[named + 1] : undefined) ?? join(import.meta.dir, "../dist/bin/svc-wrapper");

await using store = startDevStore({ secrets: { "secret/data/app": { password: "a value" } } });
const common = { PATH: "/usr/bin:/bin", HOME: process.env["HOME"] ?? "/" };
const wrapped = {
  ...common,
  VAULT_ADDR: store.address,
  VAULT_TOKEN: store.token,
  SVC_SECRET_PATHS: "secret/data/app",
  SVC_ENV_MAP: "password=DB_PASSWORD",
  SVC_LOG_LEVEL: "error",
  SVC_ROTATION: "none",
  HEALTH_ADDR: "127.0.0.1:0",
};
const inject = { ...wrapped, SVC_DELIVERY: "inject" };
const ways: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
  bare: undefined,
  env: { ...wrapped, SVC_DELIVERY: "env" },
  "inject, SVC_FOLLOW=off": { ...inject, SVC_FOLLOW: "off" },
  "inject, SVC_FOLLOW=notify": { ...inject, SVC_FOLLOW: "notify" },
  "inject, SVC_FOLLOW=trace": { ...inject, SVC_FOLLOW: "trace" },
  preload: { ...wrapped, SVC_DELIVERY: "preload" },
};

const samples = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, env] of Object.entries(ways)) samples.get(name)?.push(await timeOf(env));
}
const bare = summarise(samples.get("bare") ?? []).median;
stdout.write("| | median, s | × bare |\n|---|--:|--:|\n");
for (const [name, seconds] of samples) {
  const { median } = summarise(seconds);
  stdout.write(`| ${name} | ${median.toFixed(2)} | ${(median / bare).toFixed(2)} |\n`);
}

/** @param env the wrapper's; undefined for the bare command. */
async function timeOf(env: Readonly<Record<string, string>> | undefined): Promise<number> {
  const began = performance.now();
  const child = Bun.spawn(env === undefined ? command : [wrapper, "--", ...command], {
    env: env ?? common,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
  return (performance.now() - began) / 1000;
}
