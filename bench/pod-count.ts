/**
 * Measures the compiled operator as the leader of a cluster with 100,000 pods that have a wrapper,
 * of which 200 a second are replaced: `bun bench/pod-count.ts [--quick]`, after `make build`. The
 * API server is one of ours. It asserts nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { certificateAuthority, freePort, kubeconfig, temporaryFolder } from "@svc/testing";

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
  const { count, listMs, whileListingMs, watchingMs } = Object(
    JSON.parse(await child.stdout.text()),
  );
  const ms = (number: number) => number.toFixed(1);
  stdout.write(
    `${count} pods listed in ${ms(listMs / 1000)} s; nothing else had its turn for ${ms(whileListingMs)} ms at most while they were listed, for ${ms(watchingMs)} ms in ${seconds} s of ${CHANGES} changes a second\n`,
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
  const waits: number[] = [];
  let isOver = false;
  const asking = askUntil(url, waits, () => isOver);
  let counted = await nextLine();
  while (!(Number(counted) > 0)) counted = await nextLine();
  const afterList = residentMb(child.pid, "VmRSS");
  const whileListing = Math.max(...waits.splice(0));
  await Bun.sleep(seconds * 1000);
  isOver = true;
  await asking;
  const resident = residentMb(child.pid, "VmRSS");
  const most = residentMb(child.pid, "VmHWM");
  const cpu = cpuSeconds(child.pid);
  child.kill();
  await child.exited;
  waits.sort((a, b) => a - b);
  const at = (part: number) => (waits[Math.floor(part * (waits.length - 1))] ?? 0).toFixed(1);
  stdout.write(
    `svc-operator: ${counted} pods counted; resident ${afterList} MB after the list, ${resident} MB ${seconds} s later, ${most} MB at most; ${cpu.toFixed(1)} s of CPU in all; /readyz: median ${at(0.5)} ms, 99th ${at(0.99)} ms, most ${at(1)} ms of ${waits.length}; ${whileListing.toFixed(1)} ms at most while it listed\n`,
  );
}

/** One after the other; those before it listens count for nothing. */
async function askUntil(url: string, waits: number[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const beganMs = performance.now();
    const answer = await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => undefined);
    await answer?.text();
    if (answer !== undefined) waits.push(performance.now() - beganMs);
    await Bun.sleep(1);
  }
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
