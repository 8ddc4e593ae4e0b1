/**
 * Measures the work of a vault for the wrappers: `bun bench/vault-load.ts [ROUNDS]` after `bun
 * scripts/build.ts` and `bun scripts/fetch-openbao.ts`; two minutes. The server is an OpenBao with
 * Raft and TLS. Its processor time and its writes are those of proc_pid_stat(5) and proc_pid_io(5).
 * The kinds of work take turns. It asserts nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stdout } from "node:process";
import { statField } from "@svc/kernel";
import {
  answerPart,
  answerText,
  callBao,
  certificateAuthority,
  startOpenBao,
  temporaryFolder,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { childrenOf } from "../e2e/harness/processes/process-facts.ts";
import { summarise } from "./statistics.ts";

const ROUNDS = Number(argv[2] ?? 5);
const STARTS = 40;
const CHECKING_MS = 4000;
const PATHS = ["secret/data/a", "secret/data/b", "secret/data/c"];
const TICK_MS = 10;
const wrapper = join(import.meta.dirname, "../dist/bin/svc-wrapper");

const others = new Set(childrenOf(process.pid));
const authority = await certificateAuthority();
const tls = { ...(await authority.issue()), caPem: authority.certificatePem };
await using bao = await startOpenBao({ storage: "raft", tls });
const [server = 0] = childrenOf(process.pid).filter((pid) => !others.has(pid));
using folder = temporaryFolder();
const fileWith = (text: string): string => {
  const path = join(folder.path, crypto.randomUUID());
  writeFileSync(path, text);
  return path;
};
const post = (path: string, body: object) => callBao(bao, { method: "POST", path, body });

await post("sys/mounts/secret", { type: "kv", options: { version: "2" } });
for (const path of PATHS) await writeSecret(bao, path, { password: "p" });
const rights = ["data", "metadata"].map((kind) => `secret/${kind}/*`);
await writePolicy(
  bao,
  "app",
  rights.map((path) => ({ path, capabilities: ["read"] })),
);
await post("sys/auth/approle", { type: "approle" });
const common = {
  ...{ VAULT_ADDR: bao.address, VAULT_CACERT: fileWith(tls.caPem), SVC_LOG_LEVEL: "error" },
  ...{ VAULT_AUTH_METHOD: "approle", SVC_DELIVERY: "env" },
};
const logins = {
  service: await loginOf("service"),
  batch: await loginOf("batch"),
};

/** The kinds of work; each does it, and gives how often. */
const kinds: Readonly<Record<string, () => Promise<number>>> = {
  "a start, service token, 1 path": () => starts(logins.service),
  "a start, batch token, 1 path": () => starts(logins.batch),
  "a check of 1 path": () => checks(PATHS.slice(0, 1)),
  "a check of 3 paths": () => checks(PATHS),
};
const samples = new Map(Object.keys(kinds).map((name) => [name, { cpu: [0], written: [0] }]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, work] of Object.entries(kinds)) {
    const before = sample();
    const count = await work();
    const after = sample();
    const row = samples.get(name);
    // The first round warms up.
    if (row === undefined || round === 0) continue;
    if (round === 1) samples.set(name, { cpu: [], written: [] });
    samples.get(name)?.cpu.push((after.cpuMs - before.cpuMs) / count);
    samples.get(name)?.written.push((after.writtenKiB - before.writtenKiB) / count);
  }
}
stdout.write(`| OpenBao's work for | processor, ms | written, KiB |\n|---|--:|--:|\n`);
for (const [name, { cpu, written }] of samples) {
  const cells = [summarise(cpu).median.toFixed(1), summarise(written).median.toFixed(0)];
  stdout.write(`| ${name} | ${cells.join(" | ")} |\n`);
}
await bao.stop();
exit(0);

async function loginOf(type: string): Promise<Readonly<Record<string, string>>> {
  const role = `auth/approle/role/${type}`;
  await post(role, { token_policies: ["app"], token_type: type, token_ttl: "1h" });
  const id = await callBao(bao, { method: "GET", path: `${role}/role-id` });
  const secret = await post(`${role}/secret-id`, {});
  return {
    VAULT_APPROLE_ROLE_ID: answerText(answerPart(id, "data"), "role_id"),
    VAULT_APPROLE_SECRET_ID_FILE: fileWith(answerText(answerPart(secret, "data"), "secret_id")),
  };
}

/** Starts that fetch once, with nothing after them. */
async function starts(login: Readonly<Record<string, string>>): Promise<number> {
  const env = { ...common, ...login, ...secretsOf(PATHS.slice(0, 1)), SVC_ROTATION: "none" };
  for (let count = 0; count < STARTS; count += 1) {
    const child = Bun.spawn([wrapper, "--", "/bin/true"], {
      env: { ...env, HEALTH_ADDR: "off" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    if ((await child.exited) !== 0) throw new Error("a wrapper has failed");
  }
  return STARTS;
}

/** Checks of one wrapper, whose own start is a small part of the work. */
async function checks(paths: readonly string[]): Promise<number> {
  const child = Bun.spawn([wrapper, "--", "/bin/sleep", "60"], {
    env: {
      ...{ ...common, ...logins.batch, ...secretsOf(paths) },
      ...{ RENEWAL_INTERVAL: "100ms", HEALTH_ADDR: "127.0.0.1:18199" },
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await Bun.sleep(CHECKING_MS);
  const answer = await fetch("http://127.0.0.1:18199/metrics");
  const text = await answer.text();
  const [, count] = /^svc_wrapper_checks_total\{result="unchanged"\} (\d+)$/m.exec(text) ?? [];
  child.kill();
  await child.exited;
  return Number(count);
}

function secretsOf(paths: readonly string[]): Readonly<Record<string, string>> {
  const map = paths.map((_, index) => `password=P${index}`).join(";");
  return { SVC_SECRET_PATHS: paths.join(","), SVC_ENV_MAP: map };
}

function sample() {
  const stat = readFileSync(`/proc/${server}/stat`, "utf8");
  const ticks = Number(statField(stat, 14)) + Number(statField(stat, 15));
  const io = readFileSync(`/proc/${server}/io`, "utf8");
  const bytes = Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]);
  return { cpuMs: ticks * TICK_MS, writtenKiB: bytes / 1024 };
}
