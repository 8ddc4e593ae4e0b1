/**
 * Measures the compiled operator as the leader of a cluster with 100,000 pods that have a wrapper,
 * of which 200 a second are replaced: `bun bench/pod-count.ts [--quick]`, after `make build`. The
 * API server is one of ours. It asserts nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, pid, stdout } from "node:process";
import { certificateAuthority, freePort, kubeconfig, temporaryFolder } from "@svc/testing";
import { type Longest, noteTime, processorWaitMs } from "./pod-count/processor-wait.ts";

const isQuick = argv.includes("--quick");
const PODS = 100_000;
const CHANGES = 200;
const seconds = isQuick ? 15 : 90;
using folder = temporaryFolder();

const authority = await certificateAuthority("bench");
const { certificatePem, keyPem } = await authority.issue({
  names: ["svc-operator.svc-system.svc", "127.0.0.1"],
});
const certificate = join(folder.path, "tls.crt");
const key = join(folder.path, "tls.key");
writeFileSync(certificate, certificatePem);
writeFileSync(key, keyPem);
const here = (name: string) => join(import.meta.dirname, "pod-count", name);
const server = Bun.spawn(
  [process.execPath, here("serve-pods.ts"), String(PODS), String(CHANGES), folder.path],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const told = server.stdout.getReader();
const nextLine = async () => new TextDecoder().decode((await told.read()).value).trim();
const address = `https://127.0.0.1:${await nextLine()}`;
const config = join(folder.path, "kubeconfig");
writeFileSync(config, kubeconfig({ address, caPem: authority.certificatePem, token: "bench" }));

await measureLoop();
await measureProgram();
server.kill();
process.exit(0);

/** In a process that does nothing else: how long others would have waited. */
async function measureLoop(): Promise<void> {
  const words = [process.execPath, here("count-here.ts"), config, String(seconds)];
  const child = Bun.spawn(words, { stdio: ["ignore", "pipe", "inherit"] });
  const { count, listMs, whileListing, watching } = Object(JSON.parse(await child.stdout.text()));
  stdout.write(
    `${count} pods listed in ${ms(listMs / 1000)} s; nothing else had its turn for ${longestOf(whileListing)} while they were listed, for ${longestOf(watching)} in ${seconds} s of ${CHANGES} changes a second\n`,
  );
}

/** The program: its memory, and how long a question of its health takes. */
async function measureProgram(): Promise<void> {
  const port = freePort();
  const program = join(import.meta.dirname, "../dist/bin/svc-operator");
  const flags = {
    ...{ kubeconfig: config, "wrapper-image": "registry.test/svc:1", namespace: "svc-system" },
    ...{
      "certificate-source": "files",
      "certificate-file": certificate,
      "certificate-key-file": key,
    },
    "listen-addr": `127.0.0.1:${port}`,
  };
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = Bun.spawn([program, ...words], { stdio: ["ignore", "ignore", "inherit"] });
  const url = `https://127.0.0.1:${port}/readyz`;
  const waits: Waits = { allMs: [], longest: { wholeMs: 0, ownMs: 0 } };
  let isOver = false;
  const asking = askUntil(url, { server: child.pid, waits, isOver: () => isOver });
  let counted = await nextLine();
  while (!(Number(counted) > 0)) counted = await nextLine();
  const afterList = residentMb(child.pid, "VmRSS");
  const whileListing = waits.longest;
  Object.assign(waits, { allMs: [], longest: { wholeMs: 0, ownMs: 0 } });
  await Bun.sleep(seconds * 1000);
  isOver = true;
  await asking;
  const resident = residentMb(child.pid, "VmRSS");
  const most = residentMb(child.pid, "VmHWM");
  const cpu = cpuSeconds(child.pid);
  child.kill();
  await child.exited;
  const { allMs, longest } = waits;
  allMs.sort((a, b) => a - b);
  const at = (part: number) => ms(allMs[Math.floor(part * (allMs.length - 1))] ?? 0);
  stdout.write(
    `svc-operator: ${counted} pods counted; resident ${afterList} MB after the list, ${resident} MB ${seconds} s later, ${most} MB at most; ${cpu.toFixed(1)} s of CPU in all; /readyz: median ${at(0.5)} ms, 99th ${at(0.99)} ms, most ${longestOf(longest)} of ${allMs.length}; ${longestOf(whileListing)} at most while it listed\n`,
  );
}

interface Waits {
  allMs: number[];
  longest: Longest;
}

interface Asking {
  readonly server: number;
  readonly waits: Waits;
  readonly isOver: () => boolean;
}

/**
 * One after the other. Those before it listens count for nothing, nor does the first one: the
 * program still starts.
 */
async function askUntil(url: string, { server, waits, isOver }: Asking): Promise<void> {
  const answers = async () => {
    const answer = await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => undefined);
    await answer?.text();
    return answer !== undefined;
  };
  while (!(await answers())) await Bun.sleep(1);
  while (!isOver()) {
    const waitedMs = () => processorWaitMs(server) + processorWaitMs(pid);
    const before = { nowMs: performance.now(), waitedMs: waitedMs() };
    await answers();
    const wholeMs = performance.now() - before.nowMs;
    waits.allMs.push(wholeMs);
    noteTime(waits.longest, wholeMs, waitedMs() - before.waitedMs);
    await Bun.sleep(1);
  }
}

function ms(number: number): string {
  return number.toFixed(1);
}

/** The second number leaves out the time for which a process waited for a processor. */
function longestOf({ wholeMs, ownMs }: Longest): string {
  return `${ms(wholeMs)} ms (${ms(ownMs)})`;
}

function residentMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1000);
}

/** proc_pid_stat(5): the fields behind the name's parenthesis; a hundred ticks are a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
