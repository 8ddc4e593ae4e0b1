import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  runAttack,
  runCampaign,
  startAttackVictim,
  type TemporaryFolder,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { buildBpf, compileBpf } from "../../scripts/build/bpf.ts";
import { processesOf } from "../harness/agent/is-about.ts";
import { agentBinary, startAgent } from "../harness/agent/running-agent.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { claimProgram } from "./claim-program.ts";

const root = join(import.meta.dirname, "../..");
const MAIN_SOURCE = "secret_monitor.bpf.c";
const object = buildBpf(root);
const SIGSTOP = 19;
const SIGCONT = 18;
const pinner = join(import.meta.dirname, "testdata/pin-other-maps.ts");
const stage = setStage();
let folder: TemporaryFolder;
/** A BPF file system for one test: its pins end with it. */
let bpffs: string;

beforeEach(() => {
  folder = temporaryFolder();
  bpffs = join(folder.path, "bpffs");
  mkdirSync(bpffs);
  run("mount", "-t", "bpf", "bpf", bpffs);
});
afterEach(() => {
  // If hooks guard it, it could not be unmounted.
  run(...inBpffs([agentBinary, "break-glass", "--reason", "the test is over", "--remove"]));
  run("umount", bpffs);
  folder[Symbol.dispose]();
});

type Word = string | Readonly<Record<string, string>>;

/** Words of a command, and variables that are other ones. */
function run(...words: readonly Word[]) {
  const env = Object.assign(environment(), ...words.filter((word) => typeof word !== "string"));
  const command = words.filter((word) => typeof word === "string");
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env });
  return { exitCode, said: `${stdout}${stderr}` };
}

function environment(): Readonly<Record<string, string>> {
  return {
    ...{ PATH: process.env["PATH"] ?? "", EBPF_OBJECT_PATH: object, ENFORCE_MODE: "true" },
    ...{ HEALTH_LISTEN_ADDR: "127.0.0.1:0", GRPC_LISTEN_ADDR: "127.0.0.1:0" },
    GRPC_SOCKET_PATH: join(folder.path, "agent.sock"),
    ADMIN_SOCKET_PATH: join(folder.path, "admin.sock"),
    REGISTRY_PATH: join(folder.path, "registry"),
    SPOOL_PATH: join(folder.path, "spool"),
  };
}

/** Puts the command before the agent's words, with a changed /sys/fs/bpf. */
function where(mounting: string): (words: readonly string[]) => readonly string[] {
  const script = `mount ${mounting} /sys/fs/bpf && exec "$@"`;
  return (words) => ["unshare", "--mount", "sh", "-c", script, "sh", ...words];
}

const inBpffs = (words: readonly string[]) => where(`--bind ${bpffs}`)(words);

/** The same maps, and a further one: the programs of another compilation. */
function anotherRelease(): string {
  const sources = join(folder.path, "bpf");
  const target = join(folder.path, "other.o");
  cpSync(join(root, "bpf"), sources, { recursive: true });
  appendFileSync(join(sources, MAIN_SOURCE), '\nint of_another_release SEC(".data.other") = 1;\n');
  compileBpf(sources, MAIN_SOURCE, target);
  return target;
}

/** A pinned map with the name of the agent's folder. */
function pinInPlace(): void {
  const pins = join(bpffs, "other");
  expect(run(process.execPath, pinner, object, pins)).toEqual({ exitCode: 0, said: "" });
  renameSync(join(pins, "agent"), join(bpffs, "svc"));
}

describe("an agent that only looks warns and goes on if in the place of its pins is", () => {
  const rows: Readonly<Record<string, readonly [make: () => void, says: string]>> = {
    "a pin": [pinInPlace, "/sys/fs/bpf/svc is a pinned object"],
    "a folder with a folder": [
      () => mkdirSync(join(bpffs, "svc", "agent"), { recursive: true }),
      "/sys/fs/bpf/svc/agent is a folder",
    ],
    "a folder with a pin and a folder": [
      () => {
        expect(run(process.execPath, pinner, object, join(bpffs, "svc")).exitCode).toBe(0);
        mkdirSync(join(bpffs, "svc", "strange"));
      },
      "/sys/fs/bpf/svc/strange is a folder",
    ],
  };
  for (const [name, [make, says]] of Object.entries(rows)) {
    test(name, async () => {
      make();
      await using agent = await startAgent(folder.path, { ENFORCE_MODE: "false" }, inBpffs);
      expect((await agent.ask("/readyz")).status).toBe(200);
      expect(agent.log()).toContain(says);
    });
  }

  test("an empty folder, without a warning: it is removed", async () => {
    mkdirSync(join(bpffs, "svc"));
    await using agent = await startAgent(folder.path, { ENFORCE_MODE: "false" }, inBpffs);
    expect((await agent.ask("/readyz")).status).toBe(200);
    expect(agent.log()).not.toContain("something else");
    // The kernel has put two files there.
    expect(readdirSync(bpffs)).not.toContain("svc");
  });
});

describe("an agent that enforces", () => {
  const releases = { "the next one": () => object, "one of another release": anotherRelease };
  for (const [name, objectOf] of Object.entries(releases)) {
    test(`leaves its programs in the kernel when it ends, and ${name} takes them over`, async () => {
      await using victim = await startAttackVictim();
      const start = (path: string) => {
        const settings = { ENFORCE_MODE: "true", EBPF_OBJECT_PATH: path };
        return startAgent(folder.path, settings, inBpffs);
      };
      const first = await start(object);
      await first.protect(victim.pid);
      await first.kill("SIGTERM");
      const pinned = readdirSync(join(bpffs, "svc"));
      const without = await runCampaign("process-vm-readv", victim, { count: 5 });
      await using second = await start(objectOf());
      const { leaked, ok } = await runCampaign("process-vm-readv", victim, { count: 5 });
      expect([without.ok, without.leaked, ok, leaked]).toEqual([0, 0, 0, 0]);
      const links = (names: readonly string[]) => names.filter((name) => name.includes("-"));
      const adopted = readdirSync(join(bpffs, "svc"));
      expect(links(adopted).length).toBe(links(pinned).length);
      expect(links(adopted)).not.toEqual(links(pinned));
      const adoption = () => second.records().find(({ kind }) => kind === "agent_adoption");
      await waitFor(adoption, { deadlineMs: 30_000, what: "the record of the adoption" });
    });
  }

  test("has the next one know whose a program is by its mark, and an ancestor's claim is refused", async () => {
    const first = await startAgent(folder.path, { ENFORCE_MODE: "true" }, inBpffs);
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", "echo started; exec sleep 60"],
      environment: {
        ...{ ...stage.environment, SVC_LOG_FORMAT: "json" },
        SVC_EBPF_AGENT_ADDR: `unix://${first.socketPath}`,
      },
    });
    await wrapper.prints("started");
    await logs(wrapper, "connected with the kernel agent", 1);
    const pid = childrenOf(wrapper.pid)[0] ?? 0;
    wrapper.kill(SIGSTOP);
    await first.kill("SIGTERM");
    // The kernel alone is left to know.
    rmSync(join(folder.path, "registry"));
    await using second = await startAgent(folder.path, { ENFORCE_MODE: "true" }, inBpffs);
    expect(await claimProgram(second.socketPath, pid)).toBe("REGISTRATION_TAKEN");
    const attacker = await runAttack("process-vm-readv", { pid });
    // Another process of the machine may look at the program, too.
    const told = () => second.records().find((one) => processesOf(one).actor === attacker.pid);
    const record = await waitFor(told, { deadlineMs: 30_000, what: "word of the attempt" });
    expect(["killed", "blocked"]).toContain(String(record["decision"]));
    expect(processesOf(record).target).toBe(pid);
    wrapper.kill(SIGCONT);
    await logs(wrapper, "connected with the kernel agent", 2);
  });

  test("does not begin on maps of another shape, says what to do, and that helps", async () => {
    const pins = join(bpffs, "svc");
    expect(run(process.execPath, pinner, object, pins)).toEqual({ exitCode: 0, said: "" });
    const { exitCode, said } = run(...inBpffs([agentBinary]));
    expect(exitCode).toBe(125);
    expect(said).toContain('"code":"PINS_UNUSABLE"');
    expect(said).toContain("/sys/fs/bpf/svc");
    expect(said).toContain("svc-agent break-glass --remove");
    expect(readdirSync(pins).sort()).toEqual(["agent", "regions"]);
    const words = [agentBinary, "break-glass", "--reason", "another release", "--remove"];
    expect(run(...inBpffs(words))).toMatchObject({ exitCode: 0 });
    expect(readdirSync(bpffs).filter((name) => name === "svc")).toEqual([]);
    await using agent = await startAgent(folder.path, { ENFORCE_MODE: "true" }, inBpffs);
    expect((await agent.ask("/readyz")).status).toBe(200);
  });

  test("does not begin on a folder of another's, and names it", () => {
    mkdirSync(join(bpffs, "svc", "agent"), { recursive: true });
    const { exitCode, said } = run(...inBpffs([agentBinary]));
    expect({ exitCode, said }).toEqual({ exitCode: 125, said: expect.any(String) });
    expect(said).toContain('"code":"PINS_UNUSABLE"');
    expect(said).toContain("/sys/fs/bpf/svc/agent is a folder");
  });

  test("does not begin on a pin in the place of its folder, and names it", () => {
    pinInPlace();
    const { exitCode, said } = run(...inBpffs([agentBinary]));
    expect({ exitCode, said }).toEqual({ exitCode: 125, said: expect.any(String) });
    expect(said).toContain("/sys/fs/bpf/svc is a pinned object");
  });

  test("finds out that another one runs before that one's guards punish it, and so does break-glass", async () => {
    await using first = await startAgent(folder.path, { ENFORCE_MODE: "true" }, inBpffs);
    const elsewhere = { GRPC_SOCKET_PATH: join(folder.path, "other.sock"), SPOOL_PATH: "/nowhere" };
    for (const mode of ["true", "false"]) {
      const { exitCode, said } = run(...inBpffs([agentBinary]), {
        ...{ ...elsewhere, ENFORCE_MODE: mode },
      });
      expect({ exitCode, said }).toEqual({ exitCode: 125, said: expect.any(String) });
      expect(said).toContain('"code":"AGENT_RUNNING"');
      expect(said).toContain("end the other one first");
    }
    const lonely = { ADMIN_SOCKET_PATH: join(folder.path, "nobody.sock") };
    const words = [agentBinary, "break-glass", "--reason", "x", "--for", "1m"];
    expect(run(...inBpffs(words), lonely)).toMatchObject({ exitCode: 125 });
    expect((await first.ask("/readyz")).status).toBe(200);
    expect(first.records().filter(({ decision }) => decision === "killed")).toEqual([]);
  });

  test("does not begin if it may not pin", () => {
    const readOnly = where(`--bind ${bpffs} /sys/fs/bpf && mount -o remount,bind,ro`);
    const { exitCode, said } = run(...readOnly([agentBinary]));
    expect({ exitCode, said }).toEqual({ exitCode: 125, said: expect.any(String) });
    expect(said).toContain('"code":"PINS_UNUSABLE"');
    expect(said).toContain("EROFS");
  });

  test("stops attempts if nothing can be pinned, and says that it ends with itself", async () => {
    await using victim = await startAttackVictim();
    const within = where("-t tmpfs none");
    await using agent = await startAgent(folder.path, { ENFORCE_MODE: "true" }, within);
    await agent.protect(victim.pid);
    const { leaked, ok } = await runCampaign("process-vm-readv", victim, { count: 5 });
    expect({ leaked, ok }).toEqual({ leaked: 0, ok: 0 });
    expect(agent.log()).toContain(
      "the protection ends with the agent: /sys/fs/bpf has no BPF file system",
    );
    expect(JSON.parse((await agent.ask("/status")).body).enforcement.outlivesTheAgent).toBe(false);
  });

  test("cannot be taken over if nothing can be pinned", async () => {
    const within = where("-t tmpfs none");
    await using agent = await startAgent(folder.path, { ENFORCE_MODE: "true" }, within);
    const { answer } = await runAttack("agent-take-over", { pid: agent.pid });
    expect(answer).not.toBe("ok");
    const told = () => agent.records().filter(({ kind }) => kind === "agent_tampering");
    await waitFor(() => told().length > 0, { deadlineMs: 30_000, what: "word of the attempt" });
    for (const { decision } of told()) expect(["killed", "blocked"]).toContain(String(decision));
  });
});
