/**
 * Measures a program's costs after a delivery: `bun bench/lookups.ts` after `bun scripts/build.ts`.
 * getenv that finds, getenv that does not, and a child's start, as multiples of `env` in one run.
 * It asserts nothing.
 */
import { join } from "node:path";
import { stdout } from "node:process";
import { startDevStore } from "@svc/devstore";
import { temporaryFolder } from "@svc/testing";
import { compileProgram } from "./compile-programs.ts";

const wrapper = join(import.meta.dir, "../dist/bin/svc-wrapper");
const ROUNDS = 5;
const deliveries = ["env", "inject", "preload"] as const;

using folder = temporaryFolder();
await using store = startDevStore({ secrets: { "secret/data/app": { password: "x".repeat(36) } } });
const program = compileProgram("getenv-cost", folder.path, []);

const best = new Map<string, readonly number[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const delivery of deliveries) {
    const found = best.get(delivery);
    const now = await measure(delivery);
    best.set(delivery, found?.map((value, index) => Math.min(value, now[index] ?? value)) ?? now);
  }
}
stdout.write(table());

async function measure(delivery: string): Promise<readonly number[]> {
  // Not Bun.spawnSync: the store answers from this process.
  const child = Bun.spawn([wrapper, `--delivery=${delivery}`, "--", program], {
    env: {
      PATH: "/usr/bin:/bin",
      VAULT_ADDR: store.address,
      VAULT_TOKEN: store.token,
      SVC_SECRET_PATHS: "secret/data/app",
      SVC_ENV_MAP: "password=DB_PASSWORD",
      HEALTH_ADDR: "127.0.0.1:0",
      SVC_LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await child.stdout.text();
  return text.trim().split(" ").map(Number);
}

function table(): string {
  const base = best.get("env") ?? [];
  const rows = [...best].map(([delivery, values]) => {
    const [hit = 0, miss = 0, child = 0] = values;
    const ratios = values.map((value, index) => (value / (base[index] ?? value)).toFixed(2));
    const times = [hit.toFixed(1), miss.toFixed(1), (child / 1000).toFixed(0)];
    return `| ${[delivery, ...times.flatMap((time, index) => [time, ratios[index]])].join(" | ")} |`;
  });
  const head =
    "| delivery | getenv, found, ns | × env | not found, ns | × env | child, µs | × env |";
  return `${[head, "| --- | --: | --: | --: | --: | --: | --: |", ...rows].join("\n")}\n`;
}
