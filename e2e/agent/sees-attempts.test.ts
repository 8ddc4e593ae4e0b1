import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, readlinkSync, statSync } from "node:fs";
import type { AuditEvent } from "@svc/agent";
import { closeDescriptor, createPlainMemory, openProcess } from "@svc/kernel";
import {
  type AttackVictim,
  attackProgram,
  runAttack,
  startAttackVictim,
  waitFor,
} from "@svc/testing";
import { type AgentStage, startAgentStage } from "../harness/agent/agent-stage.ts";
import { lineReader } from "../harness/processes/line-reader.ts";
import { agentProgram } from "./agent-programs.ts";
import { startVictim } from "./victim.ts";

const REGISTRATION = 2n ** 63n + 7n;

let agent: AgentStage;
let victim: AttackVictim;

beforeAll(async () => {
  victim = await startAttackVictim();
  agent = startAgentStage();
  agent.protect(victim.pid, REGISTRATION);
});

afterAll(async () => {
  const dropped = agent.dropped();
  agent[Symbol.dispose]();
  await victim[Symbol.asyncDispose]();
  expect(dropped).toBe(0);
});

describe("one attempt on a protected process is one event", () => {
  const rows: readonly (readonly [way: string, event: object])[] = [
    ["process-vm-readv", { kind: "process_vm_readv" }],
    ["process-vm-readv-by-x32", { kind: "process_vm_readv", ...by(539, "x32") }],
    ["ptrace-attach", { kind: "ptrace", request: "attach", ...by(101, "native") }],
    ["ptrace-attach-by-int80", { kind: "ptrace", request: "attach", ...by(26, "compat") }],
    [
      "proc-mem-write",
      { kind: "process_file", file: "mem", access: "write", ...by(257, "native") },
    ],
    ["core-signal", { kind: "core_signal", signal: 3 }],
  ];
  for (const [way, event] of rows) {
    test(`${way}, with the right actor and target`, async () => {
      // A signal ends it.
      await using own = await startAttackVictim();
      agent.protect(own.pid, REGISTRATION);
      const { pid } = await runAttack(way, own);
      const [seen, ...others] = agent.violations();
      expect(others).toEqual([]);
      expect(seen).toMatchObject({
        ...event,
        mechanism: "tracing",
        decision: "observed",
        actor: {
          ...{
            pid,
            tid: pid,
            parentPid: process.pid,
            uid: process.getuid?.(),
            name: "svc-attack",
          },
          executable: { inode: BigInt(statSync(attackProgram(process.env)).ino) },
        },
        target: {
          ...{ pid: own.pid, tid: own.pid, registration: REGISTRATION },
          startNs: expect.any(BigInt),
        },
      });
    });
  }

  test("a read of an environment that was opened before the registration", async () => {
    await using own = await startAttackVictim();
    const reader = Bun.spawn(
      ["sh", "-c", `exec 3</proc/${own.pid}/environ; echo; read go; cat <&3`],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    await lineReader(reader.stdout)();
    agent.protect(own.pid, REGISTRATION);
    expect(agent.violations()).toEqual([]);
    reader.stdin.write("\n");
    reader.stdin.end();
    expect(await reader.exited).toBe(0);
    const [seen, ...others] = agent.violations();
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      ...{ kind: "process_file", file: "environ", decision: "observed" },
      target: { pid: own.pid, registration: REGISTRATION },
    });
  });

  test("its numbers follow one another, and its time is the machine's", async () => {
    for (const _ of [1, 2]) await runAttack("process-vm-readv", victim);
    const [first, second] = agent.violations();
    expect((second?.sequence ?? 0n) - (first?.sequence ?? 0n)).toBe(1n);
    const upMs = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1000;
    const ageMs = upMs - Number(second?.bootNs) / 1e6;
    expect(ageMs).toBeGreaterThan(-20);
    expect(ageMs).toBeLessThan(10_000);
  });

  test("also from inside of a pid namespace, in which the processes have other numbers", async () => {
    const script = 'echo; read line; sleep 1000 & echo | "$0" process-vm-readv $!; kill $!';
    const command = ["unshare", "--pid", "--fork", "--kill-child", "sh", "-c", script];
    const outside = Bun.spawn([...command, attackProgram(process.env)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const nextLine = lineReader(outside.stdout);
    await nextLine();
    const children = `/proc/${outside.pid}/task/${outside.pid}/children`;
    const shell = Number(readFileSync(children, "utf8").trim());
    agent.protect(shell, 8n);
    outside.stdin.write("\n");
    outside.stdin.end();
    await nextLine();
    await outside.exited;
    const [event] = agent.violations();
    expect(event).toMatchObject({ kind: "process_vm_readv", target: { registration: 8n } });
    expect(targetPid(event)).toBeGreaterThan(shell);
  });
});

describe("protection", () => {
  test("is the children's too, and stays over execve", async () => {
    await using parent = await startVictim();
    agent.protect(parent.pid, 9n);
    const child = await parent.fork();
    expect(readlinkSync(`/proc/${child}/exe`)).toBe(agentProgram("becomes-others"));
    await runAttack("process-vm-readv", { pid: child });
    const target = { pid: child, registration: 9n };
    expect(agent.violations()).toMatchObject([{ target }]);
  });

  for (const when of ["before", "after"] as const) {
    test(`stays when a thread that began ${when} the registration executes another program`, async () => {
      await using process_ = await startVictim();
      if (when === "before") await process_.startThread();
      agent.protect(process_.pid, 10n);
      expect(await process_.executeInThread()).toBe(process_.pid);
      await runAttack("process-vm-readv", process_);
      expect(agent.violations()).toMatchObject([{ target: { pid: process_.pid } }]);
    });
  }

  test("of a thread is that of the last registration, not that of its start", async () => {
    await using process_ = await startVictim();
    agent.protect(process_.pid, 20n);
    const thread = await process_.startThread();
    agent.protect(process_.pid, 21n);
    await runAttack("process-vm-readv", { pid: thread });
    expect(agent.violations()).toMatchObject([{ target: { registration: 21n } }]);
  });

  test("covers a wrapper, signals that end it, and not its bare environment", async () => {
    await using wrapper = await startVictim();
    agent.own(wrapper.pid, 17n);
    for (const way of ["process-vm-readv", "proc-environ"]) await runAttack(way, wrapper);
    const target = { pid: wrapper.pid, registration: 17n };
    expect(agent.violations()).toMatchObject([{ kind: "process_vm_readv", target }]);
    await runAttack("core-signal", wrapper);
    expect(agent.violations()).toMatchObject([{ kind: "core_signal", target }]);
  });

  test("stays with a wrapper that executes another program, which owns nothing", async () => {
    const script = "echo; read line; exec sleep 1000";
    const wrapper = Bun.spawn(["sh", "-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    // The execve of the shell has ended then; it would take the mark.
    await lineReader(wrapper.stdout)();
    const pidfd = openProcess(wrapper.pid);
    agent.own(wrapper.pid, 22n);
    expect([agent.isOwner(pidfd), agent.isProtected(pidfd)]).toEqual([true, true]);
    wrapper.stdin.write("go\n");
    wrapper.stdin.flush();
    // The kernel gives the process its new name before it tells the agent of the execve.
    await waitFor(() => !agent.isOwner(pidfd), { deadlineMs: 60_000, what: "the other program" });
    expect(readFileSync(`/proc/${wrapper.pid}/comm`, "utf8")).toBe("sleep\n");
    expect(agent.isProtected(pidfd)).toBe(true);
    wrapper.kill();
    await wrapper.exited;
    closeDescriptor(pidfd);
  });

  test("covers the processes that a wrapper starts, as long as they run the wrapper's file", async () => {
    await using wrapper = await startVictim();
    agent.own(wrapper.pid, 18n);
    const courier = await wrapper.fork();
    await runAttack("process-vm-readv", { pid: courier });
    expect(agent.violations()).toMatchObject([{ target: { pid: courier, registration: 18n } }]);
    agent.own(process.pid, 19n);
    const other = Bun.spawn(["sleep", "1000"]);
    agent.exempt(process.pid);
    await runAttack("process-vm-readv", other);
    expect(agent.violations()).toEqual([]);
    other.kill();
    await other.exited;
  });

  test("covers the agent, and does not report the agent's own questions", async () => {
    await using own = await startAttackVictim();
    agent.exempt(own.pid);
    await runAttack("ptrace-attach", own);
    expect(agent.violations()).toMatchObject([{ kind: "ptrace", target: { pid: own.pid } }]);
  });

  test("ends with the process", async () => {
    const child = Bun.spawn(["sleep", "1000"]);
    const pidfd = openProcess(child.pid);
    agent.protect(child.pid, 11n);
    expect(agent.isProtected(pidfd)).toBe(true);
    child.kill();
    await child.exited;
    expect(agent.isProtected(pidfd)).toBe(false);
    closeDescriptor(pidfd);
  });
});

describe("a harmless operation is not an event", () => {
  test("a process that reaches for one that is not protected", async () => {
    await using other = await startVictim();
    for (const way of ["process-vm-readv", "ptrace-attach", "proc-mem", "core-limit"]) {
      expect((await runAttack(way, other)).answer).not.toBe("ESRCH");
    }
    expect(agent.violations()).toEqual([]);
  });

  test("a protected process that reads its own memory", async () => {
    const before = (pid: number) => agent.protect(pid, 12n);
    const { answer } = await runAttack("own-memory", { pid: 0 }, { before });
    expect(answer).toBe("ok");
    expect(agent.violations()).toEqual([]);
  });

  test("an operation of an exempt process; its children are not exempt", async () => {
    await runAttack("process-vm-readv", victim, { before: agent.exempt });
    expect(agent.violations()).toEqual([]);
    agent.exempt(process.pid);
    await runAttack("process-vm-readv", victim);
    expect(agent.violations()).toHaveLength(1);
  });

  test("a signal that would dump core, to a process that ignores it", async () => {
    using deaf = startDeafProcess();
    await deaf.isDeaf;
    agent.protect(deaf.pid, REGISTRATION);
    await runAttack("core-signal", deaf);
    expect(agent.violations()).toEqual([]);
  });

  test("and to a process of the same program", async () => {
    await using own = await startAttackVictim();
    agent.protect(own.pid, 15n);
    const before = (pid: number) => agent.protect(pid, 15n);
    for (const way of ["core-limit", "core-signal"]) await runAttack(way, own, { before });
    expect(agent.violations()).toEqual([]);
  });

  test("an operation of a wrapper on its own registration, but not one on another", async () => {
    await using own = await startAttackVictim();
    agent.protect(own.pid, 13n);
    const before = (pid: number) => agent.own(pid, 13n);
    for (const way of ["ptrace-attach", "core-signal"]) await runAttack(way, own, { before });
    expect(agent.violations()).toEqual([]);
    await runAttack("ptrace-attach", victim, { before });
    expect(agent.violations()).toHaveLength(1);
  });

  test("an environment that holds no value, until the program executes another one", async () => {
    await using program = await startVictim();
    agent.protect(program.pid, 14n, "bare");
    await runAttack("proc-environ", program);
    expect(agent.violations()).toEqual([]);
    const child = await program.fork();
    await runAttack("proc-environ", { pid: child });
    expect(agent.violations()).toMatchObject([{ kind: "process_file", file: "environ" }]);
  });
});

describe("PTRACE_TRACEME", () => {
  test("of a protected process is an event, for its parent can read it then", async () => {
    await using parent = await startAttackVictim();
    agent.protect(parent.pid, 15n);
    const child = await parent.haveTracedChild();
    expect(agent.violations()).toMatchObject([
      {
        kind: "ptrace_traceme",
        actor: { pid: child, parentPid: parent.pid },
        target: { pid: child },
      },
    ]);
  });
});

describe("a region of ordinary memory, if the kernel has no secret one", () => {
  test("is an event when a process opens it by /proc/PID/fd, and not when its program does", async () => {
    const holder = Bun.spawn(["sleep", "1000"], { stdio: [plainRegion(), "ignore", "ignore"] });
    const read = () => Bun.spawnSync(["cat", `/proc/${holder.pid}/fd/0`]).pid;
    const pid = read();
    expect(agent.violations()).toMatchObject([{ kind: "secret_descriptor", actor: { pid } }]);
    agent.protect(process.pid, 16n);
    closeSync(openSync(`/proc/${holder.pid}/fd/0`, "r"));
    expect(agent.violations()).toEqual([]);
    agent.exempt(process.pid);
    holder.kill();
    await holder.exited;
  });
});

describe("a change of the kernel is an event for every process", () => {
  const rows = [
    ["bpf-program-load", ["bpf_program_load"]],
    ["bpf-map-create", []],
    ["module-load", ["module_load"]],
    ["kexec", ["kexec"]],
  ] as const;
  for (const [way, kinds] of rows) {
    test(`${way}: ${kinds.length} events, and none if they are not wanted`, async () => {
      using watching = startAgentStage({ watchNode: true });
      const { pid } = await runAttack(way, { pid: 0 });
      const own = watching.violations().filter(({ actor }) => actor.pid === pid);
      expect(own.map(({ kind }) => kind)).toEqual([...kinds]);
      expect(agent.violations()).toEqual([]);
    });
  }
});

describe("everything", () => {
  test("has attempts on any process, and violations have none of them", async () => {
    using all = startAgentStage({ logAll: true });
    await using other = await startVictim();
    const { pid } = await runAttack("process-vm-readv", other);
    const events = await waitFor(
      () => {
        const own = all.everything().filter(({ actor }) => actor.pid === pid);
        return own.length > 0 && own;
      },
      { deadlineMs: 5000, what: "an event" },
    );
    expect(events).toMatchObject([{ kind: "process_vm_readv", target: { pid: other.pid } }]);
    expect(events[0]).not.toHaveProperty("target.registration");
    expect(all.violations().filter(({ actor }) => actor.pid === pid)).toEqual([]);
  });
});

/** A descriptor, for a child. */
function plainRegion(): number {
  return createPlainMemory("svc-secrets").fd;
}

function by(number: number, abi: string) {
  return { systemCall: { number, abi } };
}

function targetPid(event: AuditEvent | undefined): number | undefined {
  return event !== undefined && "target" in event ? event.target.pid : undefined;
}

/** One that ignores SIGQUIT, as programs do that handle it themselves. */
function startDeafProcess() {
  const child = Bun.spawn(["sh", "-c", "trap '' QUIT; echo deaf; exec sleep 60"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    pid: child.pid,
    isDeaf: lineReader(child.stdout)(),
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}
