import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { runAttack, runCampaign, startAttackVictim, temporaryFolder, waitFor } from "@svc/testing";
import { podCgroup } from "../harness/agent/pod-cgroup.ts";
import { agentBinary, type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";

// Without hooks, as on a kernel on which nothing can be refused: this machine's own, if it has
// none.
const folder = temporaryFolder();
const adminSocket = join(folder.path, "admin.sock");
let agent: RunningAgent;

beforeAll(async () => {
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true", ADMIN_SOCKET_PATH: adminSocket });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("a process that reaches for a registered program, with ENFORCE_MODE=true", () => {
  const attacks = [
    ...["process-vm-readv", "proc-mem", "proc-mem-relative", "proc-mem-opened-before"],
    ...["ptrace-seize", "pidfd-getfd-map", "io-uring-mem", "io-uring-mem-slot"],
    ...["io-uring-mem-quiet", "io-uring-mem-chain", "io-uring-mem-slot-chain", "io-uring-environ"],
  ];
  for (const attack of attacks) {
    test(`has nothing of it by ${attack}, and the agent reports that`, async () => {
      await using victim = await startAttackVictim();
      const before = () => agent.protect(victim.pid);
      const { leaked, ok } = await runCampaign(attack, victim, { count: 5, before });
      expect({ leaked, ok }).toEqual({ leaked: 0, ok: 0 });
      // Another process of the machine may look at the victim, too: that is only observed.
      const isStopped = (decision: unknown) => decision === "killed" || decision === "blocked";
      const isTold = () =>
        agent
          .records()
          .some(({ target, decision }) => isOf(target, victim.pid) && isStopped(decision));
      await waitFor(isTold, {
        deadlineMs: 10_000,
        what: `word that ${attack} on ${victim.pid} was stopped`,
      });
    });
  }

  test("is refused the environment, or only reported if nothing but SIGKILL is there", async () => {
    await using victim = await startAttackVictim();
    const before = () => agent.protect(victim.pid);
    const { killed, ok } = await runCampaign("proc-environ", victim, { count: 5, before });
    const { tier } = JSON.parse((await agent.ask("/status")).body);
    expect({ killed, ok }).toEqual({ killed: 0, ok: tier === "tracing" ? 5 : 0 });
    const told = await waitFor(
      () => agent.records().find(({ target }) => isOf(target, victim.pid)),
      { deadlineMs: 10_000, what: `word of the environment of ${victim.pid}` },
    );
    const decision = tier === "tracing" ? "observed" : "blocked";
    expect(told).toMatchObject({ kind: "process_file", file: "environ", decision });
  });

  test("may read files that hold no value", async () => {
    await using victim = await startAttackVictim();
    await agent.protect(victim.pid);
    for (const file of ["status", "stat", "cgroup", "cmdline", "limits"]) {
      const { exitCode } = Bun.spawnSync(["cat", `/proc/${victim.pid}/${file}`]);
      expect({ file, exitCode }).toEqual({ file, exitCode: 0 });
    }
    const isTold = agent.records().some(({ target }) => isOf(target, victim.pid));
    expect(isTold).toBe(false);
  });

  test("is ended if it traced the program before, and the program goes on", async () => {
    await using victim = await startAttackVictim();
    const before = () => agent.protect(victim.pid);
    const { answer, pid } = await runAttack("ptrace-seized-before", victim, { before });
    expect(answer).toBe("");
    const told = await waitFor(
      () => agent.records().find(({ target }) => isOf(target, victim.pid)),
      { deadlineMs: 10_000, what: `an event of the tracer of ${victim.pid}` },
    );
    expect(told).toMatchObject({ kind: "agent_found_tracer", decision: "killed", actor: { pid } });
    const stat = () => readFileSync(`/proc/${victim.pid}/stat`, "utf8").split(") ")[1]?.[0];
    await waitFor(() => stat() === "S", { deadlineMs: 10_000, what: "the victim to go on" });
  });

  test("leaves it running when it was traced", async () => {
    await using victim = await startAttackVictim();
    await agent.protect(victim.pid);
    await runCampaign("ptrace-attach", victim, { count: 1 });
    const stat = () => readFileSync(`/proc/${victim.pid}/stat`, "utf8").split(") ")[1]?.[0];
    await waitFor(() => stat() === "S", { deadlineMs: 10_000, what: "the victim to go on" });
  });
});

test("a child that begins with another LD_PRELOAD does not begin, and one that has the program's does", async () => {
  const shell = Bun.spawn(["bash", "--norc"], { stdio: ["pipe", "pipe", "ignore"] });
  await agent.protect(shell.pid);
  const other = "LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6";
  shell.stdin.write(
    `/bin/echo one; ${other} /bin/echo two; (exec env ${other} /bin/echo three); exit\n`,
  );
  shell.stdin.end();
  expect(await shell.stdout.text()).toBe("one\nthree\n");
});

test("GET /status lists the outcome of each kind", async () => {
  const { rows, enforcement } = JSON.parse((await agent.ask("/status")).body);
  expect(["kill", "refuse"]).toContain(enforcement.does);
  expect(["killed", "blocked"]).toContain(rows.process_vm_readv);
  expect(["seen", "blocked"]).toContain(rows.process_layout_file);
  expect(["seen", "blocked"]).toContain(rows.process_environment);
});

describe("svc-agent break-glass", () => {
  const run = (...words: readonly string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...words], {
      env: { ADMIN_SOCKET_PATH: adminSocket },
    });
    return { exitCode, said: `${stdout}${stderr}`.trim() };
  };
  const command = (...words: readonly string[]) => [agentBinary, "break-glass", ...words];
  const ask = (...words: readonly string[]) => run(...command(...words));
  const openSeconds = async () =>
    JSON.parse((await agent.ask("/status")).body).enforcement.guardsOpenSeconds;

  const endings = (count: number) =>
    waitFor(
      () => {
        const told = agent.records().filter(({ kind }) => kind === "agent_break_glass_ended");
        return told.length >= count && told;
      },
      { deadlineMs: 30_000, what: "word of the end" },
    );

  test("opens the guards for a while and closes them, and both are reported", async () => {
    expect(ask("--reason", "a driver", "--for", "1h")).toEqual({
      exitCode: 0,
      said: "the guards are open for 3600 s",
    });
    expect(await openSeconds()).toBeGreaterThan(3500);
    expect(ask("--reason", "it is in", "--close").said).toBe("the guards are closed");
    expect(await openSeconds()).toBe(0);
    const broken = () => agent.records().filter(({ kind }) => kind === "agent_break_glass");
    // It is in the spool when the command ends, and printed a moment later.
    await waitFor(() => broken().length === 2, { deadlineMs: 10_000, what: "word of both" });
    const told = broken();
    expect(told.map(({ asked, reason, seconds }) => ({ asked, reason, seconds }))).toEqual([
      { asked: "open", reason: "a driver", seconds: 3600 },
      { asked: "close", reason: "it is in", seconds: undefined },
    ]);
    expect(told[0]?.["actor"]).toMatchObject({ uid: 0, name: "svc-agent" });
    expect(await endings(1)).toMatchObject([{ how: "closed", reason: "a driver" }]);
  });

  test("closes them by itself, and that is reported", async () => {
    expect(ask("--reason", "a moment", "--for", "1s").exitCode).toBe(0);
    const [, last] = await endings(2);
    expect(last).toMatchObject({ how: "expired", reason: "a moment", openedBy: { uid: 0 } });
    expect(await openSeconds()).toBe(0);
  });

  const refusals = [
    [[], "--reason"],
    [["--reason", "x", "--for", "25h"], "--for"],
    [["--reason", "x", "--for", "soon"], "--for"],
    [["--reason", "x", "--close", "--remove"], "one of them"],
    [["--reason", "a\nb"], "--reason"],
    [["--reason", "x", "--forever"], "--forever"],
  ] as const;
  for (const [words, named] of refusals) {
    test(`does nothing with ${JSON.stringify(words)}`, async () => {
      const { exitCode, said } = ask(...words);
      expect(exitCode).toBe(125);
      expect(said).toContain(named);
      expect(await openSeconds()).toBe(0);
    });
  }

  test("refuses root of a pod that was given the socket", async () => {
    await using pod = podCgroup(crypto.randomUUID());
    const { exitCode, said } = run(...pod.command(...command("--reason", "x", "--for", "1h")));
    expect(exitCode).toBe(125);
    expect(said).toContain("only root of the machine may use break-glass");
    expect(await openSeconds()).toBe(0);
  });

  test("refuses another user, with and without an agent", () => {
    for (const path of [adminSocket, "/nowhere/admin.sock"]) {
      const user = ["env", `ADMIN_SOCKET_PATH=${path}`, "setpriv", "--reuid=65534"];
      const { exitCode, said } = run(
        ...[...user, "--clear-groups", ...command("--reason", "x", "--close")],
      );
      expect({ exitCode, said }).toEqual({
        exitCode: 125,
        said: expect.stringContaining("only root of the machine may use break-glass"),
      });
    }
  });

  test("says that an agent does not answer", async () => {
    const path = join(folder.path, "silent.sock");
    const silent = createServer((socket) => socket.end()).listen(path);
    const child = Bun.spawn(command("--reason", "x", "--close"), {
      ...{ env: { ADMIN_SOCKET_PATH: path }, stderr: "pipe" },
    });
    expect(await child.exited).toBe(125);
    expect(await child.stderr.text()).toContain("it ended the connection without an answer");
    silent.close();
  });

  test("answers while other clients keep connections open", async () => {
    const held = Array.from({ length: 20 }, () =>
      connect(adminSocket).on("error", () => undefined),
    );
    const isHeard = () => ask("--reason", "x", "--close").exitCode === 0;
    await waitFor(isHeard, { deadlineMs: 20_000, what: "the agent to answer another client" });
    for (const socket of held) socket.destroy();
  });

  test("says so if no agent runs, and nothing is left of one", () => {
    const env = { ADMIN_SOCKET_PATH: join(folder.path, "nobody.sock") };
    const { exitCode, stderr } = Bun.spawnSync(
      [agentBinary, "break-glass", "--reason", "x", "--remove"],
      { env },
    );
    expect(exitCode).toBe(125);
    expect(stderr.toString()).toContain("no agent runs");
  });
});

function isOf(target: unknown, pid: number): boolean {
  return typeof target === "object" && target !== null && "pid" in target && target.pid === pid;
}
