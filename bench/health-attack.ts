/**
 * Measures how many probes a TLS health port answers while one client opens connections:
 * `bun bench/health-attack.ts [--quick]`. The wrapper, Go's net/http and Bun.serve take turns, each
 * also beside four processes that want the processors. It asserts nothing, talks to loopback only
 * and ends by itself.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { connect as connectTls } from "node:tls";
import { startDevStore } from "@svc/devstore";
import { certificateAuthority, temporaryFolder } from "@svc/testing";
import { compileProgram } from "./compile-programs.ts";
import { HEALTH_PORT, portIn } from "./port-in.ts";

const seconds = argv.includes("--quick") ? 3 : 10;
const RATES = [0, 3000, 8000];
const PROBE_EVERY_MS = 100;
/** The kubelet's default. */
const PROBE_TIMEOUT_MS = 1000;
const [PROBER, ATTACKER, TARGET] = ["127.0.0.1", "127.0.0.2", "127.0.0.1"];

using folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const authority = await certificateAuthority();
const own = await authority.issue();
const [cert, key] = [at("cert.pem"), at("key.pem")];
writeFileSync(cert, own.certificatePem);
writeFileSync(key, own.keyPem);
const attacker = compileProgram("connects", folder.path, []);

interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<unknown>;
}

const starters = [startWrapper, startGo, startBun];
stdout.write("server       connects/s   probes answered   slowest ms   CPU %   resident MB\n");
for (const busy of [0, 4]) {
  if (busy > 0) stdout.write(`beside ${busy} busy processes\n`);
  for (const rate of RATES) {
    for (const start of starters) await measure(await start(), rate, busy);
  }
}

async function measure(
  { name, port, pid, stop }: Server,
  rate: number,
  busy: number,
): Promise<void> {
  const loop = ["timeout", String(seconds), "/bin/sh", "-c", "while :; do :; done"];
  const hogs = Array.from({ length: busy }, () => Bun.spawn(loop));
  const flood =
    rate === 0
      ? undefined
      : Bun.spawn([attacker, ATTACKER, TARGET, String(port), String(rate), String(seconds)], {
          stdout: "ignore",
        });
  const before = cpuMs(pid);
  const end = performance.now() + seconds * 1000;
  const probes: Promise<number | undefined>[] = [];
  while (performance.now() < end - PROBE_TIMEOUT_MS) {
    probes.push(probe(port));
    await Bun.sleep(PROBE_EVERY_MS);
  }
  const answered = (await Promise.all(probes)).filter((ms) => ms !== undefined);
  const cpu = (cpuMs(pid) - before) / (seconds * 10);
  const line = [
    name.padEnd(12),
    String(rate).padStart(10),
    `${answered.length} of ${probes.length}`.padStart(17),
    answered.length === 0
      ? "-".padStart(12)
      : Math.max(...answered)
          .toFixed(0)
          .padStart(12),
    cpu.toFixed(0).padStart(7),
    residentMb(pid).toFixed(0).padStart(13),
  ];
  stdout.write(`${line.join(" ")}\n`);
  await flood?.exited;
  await Promise.all(hogs.map(({ exited }) => exited));
  await stop();
}

/** One probe on a separate connection, as the kubelet makes it; how long it took, in ms. */
function probe(port: number): Promise<number | undefined> {
  const began = performance.now();
  return new Promise((resolve) => {
    const raw = connect({ host: TARGET, port, localAddress: PROBER });
    const socket = connectTls({ socket: raw, rejectUnauthorized: false });
    const end = (ms: number | undefined) => {
      clearTimeout(timer);
      raw.destroy();
      resolve(ms);
    };
    const timer = setTimeout(() => end(undefined), PROBE_TIMEOUT_MS);
    raw.on("error", () => end(undefined));
    socket.on("error", () => end(undefined));
    socket.on("secureConnect", () => {
      socket.write("GET /healthz HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n");
    });
    socket.on("data", (bytes: Buffer) => {
      end(bytes.includes("200 OK") ? performance.now() - began : undefined);
    });
  });
}

async function startWrapper(): Promise<Server> {
  const store = startDevStore({ secrets: { "secret/data/app": { password: "x" } } });
  const child = Bun.spawn(
    [join(import.meta.dir, "../dist/bin/svc-wrapper"), "--", "/bin/sleep", "120"],
    {
      env: {
        PATH: "/usr/bin:/bin",
        VAULT_ADDR: store.address,
        VAULT_TOKEN: store.token,
        SVC_SECRET_PATHS: "secret/data/app",
        SVC_ENV_MAP: "password=DB_PASSWORD",
        SVC_LOG_FORMAT: "json",
        HEALTH_ADDR: "127.0.0.1:0",
        SVC_BROKER_TLS_CERT: cert,
        SVC_BROKER_TLS_KEY: key,
      },
      stderr: "pipe",
    },
  );
  const port = await portIn(child.stderr, HEALTH_PORT);
  const stop = async () => {
    child.kill();
    await child.exited;
    await store.stop();
  };
  return { name: "svc-wrapper", port, pid: child.pid, stop };
}

async function startGo(): Promise<Server> {
  const program = at("go-server");
  const source = join(import.meta.dir, "health/go-server.go");
  const build = Bun.spawnSync(["go", "build", "-o", program, source]);
  if (build.exitCode !== 0) throw new Error(`bench: go build: ${build.stderr}`);
  return startServer("Go net/http", [program, cert, key]);
}

function startBun(): Promise<Server> {
  const script = join(import.meta.dir, "health/bun-server.ts");
  return startServer("Bun.serve", [process.execPath, script, cert, key]);
}

async function startServer(name: string, command: readonly string[]): Promise<Server> {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore" });
  const port = await portIn(child.stdout, /^(\d+)\n/);
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  return { name, port, pid: child.pid, stop };
}

/** proc_pid_stat(5): user and system time, at 100 ticks a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1000;
}
