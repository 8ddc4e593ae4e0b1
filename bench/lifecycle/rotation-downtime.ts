import { join } from "node:path";
import { startDevStore } from "@svc/devstore";
import { canary, writeSecret } from "@svc/testing";
import { compileProgram } from "../compile-programs.ts";
import { type Summary, summarise } from "../statistics.ts";

const wrapper = join(import.meta.dir, "../../dist/bin/svc-wrapper");

/**
 * The milliseconds from the last act of one program to the first of the next, by their own clocks.
 */
export async function rotationDowntime(
  delivery: "inject" | "preload" | "env",
  rotations: number,
  folder: string,
): Promise<Summary> {
  const secret = () => ({ password: canary() });
  await using store = startDevStore({ secrets: { "secret/data/app": secret() } });
  const target = { address: store.address, rootToken: store.token };
  // preload needs a dynamic loader, whose work is the program's own and is part of the figure.
  const link = delivery === "preload" ? [] : ["-static"];
  const child = Bun.spawn([wrapper, "--", compileProgram("rotates", folder, link)], {
    env: {
      PATH: "/usr/bin:/bin",
      VAULT_ADDR: store.address,
      VAULT_TOKEN: store.token,
      SVC_SECRET_PATHS: "secret/data/app",
      SVC_ENV_MAP: "password=DB_PASSWORD",
      SVC_DELIVERY: delivery,
      SVC_ROTATION_SPLAY: "0s",
      SVC_ROTATION_MIN_INTERVAL: "0s",
      SVC_LOG_LEVEL: "error",
      RENEWAL_INTERVAL: "100ms",
      HEALTH_ADDR: "127.0.0.1:0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const downtimes: number[] = [];
    let ended = 0;
    for await (const [word = "", ns = ""] of linesOf(child.stdout)) {
      if (word === "end") ended = Number(ns);
      if (word !== "start") continue;
      if (ended > 0) downtimes.push((Number(ns) - ended) / 1e6);
      if (downtimes.length === rotations) break;
      await writeSecret(target, "secret/data/app", secret());
    }
    return summarise(downtimes);
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.split(" ");
  }
}
