import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { arch } from "node:process";
import {
  type AttackVictim,
  runAttack,
  startAttackVictim,
  type TemporaryFolder,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { buildBpf } from "../../scripts/build/bpf.ts";
import { agentBinary, startAgent } from "../harness/agent/running-agent.ts";

type Settings = Readonly<Record<string, string>>;

const root = join(import.meta.dirname, "../..");
const NOBODY = 65_534;

let folder: TemporaryFolder;
let victim: AttackVictim;

beforeAll(async () => {
  folder = temporaryFolder();
  victim = await startAttackVictim();
});

afterAll(async () => {
  await victim[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Runs the words behind in a new mount namespace, after a command in it. */
const after = (command: string) => (words: readonly string[]) =>
  ["unshare", "--mount", "sh", "-c", `${command} && exec "$@"`, "sh", ...words] as const;

describe("if the kernel lets nothing in, the agent lives, says why, and takes registrations", () => {
  const rows: readonly (readonly [
    name: string,
    within: (words: readonly string[]) => readonly string[],
    says: string,
    reason: RegExp,
  ])[] = [
    [
      "as another user",
      (words) => ["setpriv", `--reuid=${NOBODY}`, "--clear-groups", "--no-new-privs", ...words],
      "the agent lacks CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE",
      /^the agent lacks CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE \(/,
    ],
    [
      "as root without capabilities",
      (words) => ["setpriv", "--bounding-set=-all", "--inh-caps=-all", ...words],
      "the agent lacks CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE",
      /^the agent lacks CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE \(/,
    ],
    [
      "without the kernel's types",
      after("mount -t tmpfs none /sys/kernel/btf"),
      "the kernel has no types (/sys/kernel/btf/vmlinux)",
      /^the kernel has no types \(BTF\).*\/sys\/kernel\/btf\/vmlinux/,
    ],
    [
      "without libbpf",
      after('for f in $(ls /usr/lib/*/libbpf.so.1); do mount --bind /dev/null "$f"; done'),
      "libbpf",
      /^libbpf\.so\.1 is not available/,
    ],
  ];
  for (const [name, within, says, reason] of rows) {
    test(name, async () => {
      const own = ownFolder(name === "as another user" ? NOBODY : 0);
      await using agent = await startAgent(own, environment(own), within);
      const { status, body } = await agent.ask("/readyz");
      expect({ status, body: JSON.parse(body) }).toMatchObject({
        status: 503,
        body: { status: "blind", reason: expect.stringMatching(reason), hint: expect.any(String) },
      });
      expect((await agent.ask("/healthz")).status).toBe(200);
      expect(JSON.parse((await agent.ask("/status")).body)).toMatchObject({
        tier: "none",
        enforcement: { does: "none" },
      });
      expect(agent.log()).toContain(says);
      expect(agent.records()).toMatchObject([{ kind: "agent_started", tier: "none" }]);
      await agent.protect(victim.pid);
    });
  }
});

describe("an agent does not need", () => {
  const rows = [
    ["bpffs and tracefs", "umount /sys/fs/bpf /sys/kernel/tracing 2>/dev/null; true"],
    ["securityfs", "umount /sys/kernel/security 2>/dev/null; true"],
    [
      "a root file system that can be written",
      'mount --bind "$OWN" "$OWN" && mount -o remount,ro,bind / /',
    ],
  ] as const;
  for (const [name, command] of rows) {
    test(name, async () => {
      const own = ownFolder();
      await using agent = await startAgent(own, { ...environment(own), OWN: own }, after(command));
      expect((await agent.ask("/readyz")).status).toBe(200);
      await agent.protect(victim.pid);
      const { pid } = await runAttack("process-vm-readv", victim);
      expect(pid).toBeGreaterThan(0);
    });
  }
});

describe("a mistake ends the agent with 125 and one line that names it", () => {
  const rows: readonly (readonly [
    name: string,
    environment: Readonly<Record<string, string>>,
    says: string,
  ])[] = [
    ["no object", { EBPF_OBJECT_PATH: "/nowhere.o" }, "read EBPF_OBJECT_PATH (/nowhere.o): ENOENT"],
    [
      "an object that is not an ELF file",
      { EBPF_OBJECT_PATH: "/etc/passwd" },
      "it is not an ELF file",
    ],
    [
      "an ELF file without programs",
      { EBPF_OBJECT_PATH: "/bin/true" },
      `read EBPF_OBJECT_PATH (/bin/true): it has no svc-programs-for:${arch}`,
    ],
    [
      "the object of another architecture",
      { EBPF_OBJECT_PATH: buildBpf(root, arch === "x64" ? "arm64" : "x64") },
      `it has no svc-programs-for:${arch}: it is of another architecture or release`,
    ],
    ["a folder for an object", { EBPF_OBJECT_PATH: "/etc" }, "EISDIR"],
    [
      "a spool that is a file",
      { PLATFORM_ENDPOINT: "http://127.0.0.1:1", SPOOL_PATH: "/etc/passwd" },
      "use the spool in /etc/passwd",
    ],
    [
      "an address of another machine",
      { HEALTH_LISTEN_ADDR: "192.0.2.1:9090" },
      "listen on HEALTH_LISTEN_ADDR",
    ],
    [
      "headers that cannot be read",
      { PLATFORM_ENDPOINT: "http://127.0.0.1:1", PLATFORM_HEADERS_FILE: "/nowhere" },
      "read headers from /nowhere: ENOENT",
    ],
    [
      "a file that is not a certificate",
      { GRPC_TLS_CERT: "/etc/passwd", GRPC_TLS_KEY: "/etc/passwd" },
      "REGISTRATION_TLS_UNUSABLE",
    ],
  ];
  for (const [name, given, says] of rows) {
    test(name, async () => {
      const own = ownFolder();
      const { code, stderr } = await run({ ...environment(own), ...given });
      expect({ code, stderr }).toEqual({ code: 125, stderr: expect.stringContaining(says) });
    });
  }

  test("an object that was cut off", async () => {
    const own = ownFolder();
    const object = join(own, "cut.o");
    copyFileSync(buildBpf(root), object);
    const bytes = await Bun.file(object).bytes();
    writeFileSync(object, bytes.subarray(0, bytes.length / 2));
    const { code, stderr } = await run({ ...environment(own), EBPF_OBJECT_PATH: object });
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: expect.stringContaining("OBJECT_UNUSABLE"),
    });
  });

  test("a socket in a folder in which every user may replace it", async () => {
    const own = ownFolder();
    chmodSync(own, 0o777);
    const { code, stderr } = await run(environment(own));
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: expect.stringContaining("others may write to it"),
    });
  });

  test("every setting that is wrong, at once", async () => {
    const { code, stderr } = await run({
      ENFORCE_MODE: "yess",
      LOG_ALL: "2",
      SPOOL_MAX_BYTES: "9",
    });
    expect(code).toBe(125);
    for (const name of ["ENFORCE_MODE", "LOG_ALL", "SPOOL_MAX_BYTES"])
      expect(stderr).toContain(name);
  });

  const seconds: readonly (readonly [name: string, own: (folder: string) => Settings])[] = [
    ["on the same socket", (folder) => ({ REGISTRY_PATH: join(folder, "other-registry") })],
    ["with the same registry", (folder) => ({ GRPC_SOCKET_PATH: join(folder, "other.sock") })],
  ];
  for (const [name, ownOf] of seconds) {
    test(`a second agent ${name}, and the first one goes on`, async () => {
      const own = ownFolder();
      // One that enforces would kill it, if it loaded programs.
      await using agent = await startAgent(own, { ...environment(own), ENFORCE_MODE: "true" });
      const { code, stderr } = await run({
        ...environment(own),
        ...{ REGISTRY_PATH: join(own, "registry"), ...ownOf(own) },
      });
      expect({ code, stderr }).toEqual({
        code: 125,
        stderr: expect.stringContaining("AGENT_RUNNING"),
      });
      await agent.protect(victim.pid);
    });
  }
});

describe("a reader of its events does not end it, nor keep it from ending:", () => {
  const rows = [
    ["one that goes away", 'exec "$@" > >(true)'],
    ["one that reads no more", 'mkfifo "$OWN/f" && exec 9<> "$OWN/f" && exec "$@" >&9'],
  ] as const;
  for (const [name, script] of rows) {
    test(name, async () => {
      const own = ownFolder();
      const shell = ["env", "--default-signal=PIPE", "bash", "-c", script, "bash"];
      const words = (command: readonly string[]) => [...shell, ...command];
      await using agent = await startAgent(own, { ...environment(own), OWN: own }, words);
      await agent.protect(victim.pid);
      // More than a pipe has room for.
      for (const _ of Array(8)) await runAttack("process-vm-readv", victim, { count: 30 });
      expect((await agent.ask("/readyz")).status).toBe(200);
      expect(await agent.kill("SIGTERM")).toBe(0);
    });
  }
});

test("an agent without a descriptor says so, and goes on when it has some again", async () => {
  const own = ownFolder();
  await using agent = await startAgent(own, environment(own));
  await agent.protect(victim.pid);
  const limitDescriptors = (most: number) =>
    Bun.spawnSync(["prlimit", `--pid=${agent.pid}`, `--nofile=${most}:4096`]).exitCode;
  expect(limitDescriptors(3)).toBe(0);
  const [soon, what] = [60_000, "the agent to miss a descriptor"];
  await waitFor(() => agent.log().includes("no descriptor is left"), { deadlineMs: soon, what });
  expect(limitDescriptors(4096)).toBe(0);
  const { pid } = await runAttack("process-vm-readv", victim);
  await waitFor(() => agent.records().some(({ actor }) => isOf(actor, pid)), {
    ...{ deadlineMs: soon, what: "the event of an attack" },
  });
  expect((await agent.ask("/readyz")).status).toBe(200);
});

test("SIGTERM ends it with 0, and the last event says so", async () => {
  const own = ownFolder();
  await using agent = await startAgent(own, environment(own));
  expect(await agent.kill("SIGTERM")).toBe(0);
  expect(agent.records().map(({ kind }) => kind)).toEqual(["agent_started", "agent_stopped"]);
});

function isOf(actor: unknown, pid: number): boolean {
  return typeof actor === "object" && actor !== null && "pid" in actor && actor.pid === pid;
}

let folders = 0;

/** Readable for all, as the agent's folders are, and owned by the given user. */
function ownFolder(uid = 0): string {
  folders += 1;
  const own = join(folder.path, String(folders));
  mkdirSync(own);
  chmodSync(folder.path, 0o755);
  chownSync(own, uid, uid);
  return own;
}

function environment(own: string): Settings {
  const object = join(own, "secret_monitor.o");
  copyFileSync(buildBpf(root), object);
  chmodSync(object, 0o644);
  return {
    EBPF_OBJECT_PATH: object,
    HEALTH_LISTEN_ADDR: "127.0.0.1:0",
    GRPC_LISTEN_ADDR: "127.0.0.1:0",
    GRPC_SOCKET_PATH: join(own, "agent.sock"),
  };
}

async function run(given: Settings) {
  const child = Bun.spawn([agentBinary], { stdio: ["ignore", "pipe", "pipe"], env: { ...given } });
  const [code, stderr] = await Promise.all([child.exited, child.stderr.text()]);
  return { code, stderr };
}
