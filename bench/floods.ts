/**
 * Measures how long probes and SIGTERM wait beside floods: `bun bench/floods.ts [--quick] [--beside
 * WRAPPER]` after `bun scripts/build.ts`. The program below starts others without an end, leaves
 * orphans, gets signals, or strangers ask for metrics; then all of it at once. It asserts nothing,
 * talks to loopback only and ends by itself.
 */
import { connect } from "node:net";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { startDevStore } from "@svc/devstore";
import { temporaryFolder } from "@svc/testing";
import { compileProgram } from "./compile-programs.ts";
import { HEALTH_PORT, portIn } from "./port-in.ts";

const seconds = argv.includes("--quick") ? 3 : 10;
const named = argv.indexOf("--beside");
const wrappers = [
  join(import.meta.dir, "../dist/bin/svc-wrapper"),
  ...(named > 0 && argv[named + 1] !== undefined ? [String(argv[named + 1])] : []),
];
const LOOPS = 24;
const ORPHANS_A_SECOND = 5_000;
const REQUESTS_A_SECOND = 3_000;
const SIGNALS_A_TURN = 200;
const PROBE_EVERY_MS = 10;
const PROBE_TIMEOUT_MS = 2_000;
const GRACE_MS = 2_000;
/** A wrapper that has not ended by then is killed. */
const END_DEADLINE_MS = 30_000;

using folder = temporaryFolder();
const asks = compileProgram("asks", folder.path, []);
const orphans = compileProgram("orphans", folder.path, []);
await using store = startDevStore({ secrets: { "secret/data/app": { password: "a value" } } });

interface Flood {
  readonly loops?: true;
  readonly orphans?: true;
  readonly signals?: true;
  readonly requests?: true;
}

const floods: Readonly<Record<string, Flood>> = {
  none: {},
  "24 loops of /bin/true": { loops: true },
  "5,000 orphans a second": { orphans: true },
  "signals without an end": { signals: true },
  "3,000 requests a second": { requests: true },
  "all of them": { loops: true, orphans: true, signals: true, requests: true },
};

stdout.write(
  "| flood | wrapper | probes answered | median, ms | slowest, ms | end after SIGTERM, s |\n",
);
stdout.write("|---|---|--:|--:|--:|--:|\n");
for (const [name, flood] of Object.entries(floods)) {
  for (const [index, wrapper] of wrappers.entries()) {
    const row = await measure(wrapper, flood);
    stdout.write(`| ${name} | ${index === 0 ? "this" : "beside"} | ${row.join(" | ")} |\n`);
  }
}

async function measure(wrapper: string, flood: Flood): Promise<readonly string[]> {
  const child = Bun.spawn([wrapper, "--", "/bin/sh", "-c", programOf(flood)], {
    env: {
      PATH: "/usr/bin:/bin",
      VAULT_ADDR: store.address,
      VAULT_TOKEN: store.token,
      SVC_SECRET_PATHS: "secret/data/app",
      SVC_ENV_MAP: "password=DB_PASSWORD",
      SVC_LOG_FORMAT: "json",
      SVC_ROTATION: "none",
      SVC_STOP_GRACE: `${GRACE_MS}ms`,
      HEALTH_ADDR: "127.0.0.1:0",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await portIn(child.stderr, HEALTH_PORT);
  await Bun.sleep(1000);
  const strangers =
    flood.requests &&
    Bun.spawn([asks, String(port), String(REQUESTS_A_SECOND), String(seconds + 5)]);
  const signals = flood.signals && setInterval(() => signalMany(child), 1);
  const probes = await probesOf(port);
  const began = performance.now();
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), END_DEADLINE_MS);
  await child.exited;
  const endedAfterMs = performance.now() - began;
  clearTimeout(killer);
  clearInterval(signals);
  strangers?.kill();
  const answered = probes.filter((ms) => ms !== undefined).toSorted((a, b) => a - b);
  const shown = (ms: number | undefined) => (ms === undefined ? "-" : ms.toFixed(1));
  return [
    `${answered.length} of ${probes.length}`,
    shown(answered[answered.length >> 1]),
    shown(answered.at(-1)),
    (endedAfterMs / 1000).toFixed(2),
  ];
}

/** It ignores SIGTERM, so that only the wrapper ends it. */
function programOf({ loops, orphans: leaves }: Flood): string {
  const lines = ["trap '' TERM"];
  if (loops) {
    const loop = "(while :; do /bin/true; done) &";
    lines.push(...Array.from({ length: LOOPS }, () => loop));
  }
  if (leaves) {
    lines.push(`${orphans} ${ORPHANS_A_SECOND * (seconds + 5)} ${ORPHANS_A_SECOND} >/dev/null &`);
  }
  return [...lines, "while :; do wait; sleep 0.1; done"].join("\n");
}

function signalMany(child: Bun.Subprocess): void {
  for (let sent = 0; sent < SIGNALS_A_TURN && child.exitCode === null; sent += 1) {
    child.kill("SIGWINCH");
  }
}

/** The durations of the probes, one after the other; undefined for one without an answer. */
async function probesOf(port: number): Promise<readonly (number | undefined)[]> {
  const probes: (number | undefined)[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    probes.push(await probe(port));
    await Bun.sleep(PROBE_EVERY_MS);
  }
  return probes;
}

function probe(port: number): Promise<number | undefined> {
  const began = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (ms: number | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(ms);
    };
    const timer = setTimeout(() => end(undefined), PROBE_TIMEOUT_MS);
    socket.on("error", () => end(undefined));
    socket.on("connect", () => socket.write("GET /healthz HTTP/1.1\r\nHost: pod\r\n\r\n"));
    socket.on("data", (bytes: Buffer) => {
      end(bytes.includes("200 OK") ? performance.now() - began : undefined);
    });
  });
}
