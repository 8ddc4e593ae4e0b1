import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startAttackVictim, temporaryFolder, waitFor } from "@svc/testing";
import { placedCgroup } from "../harness/agent/pod-cgroup.ts";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";
import { agentProgram } from "./agent-programs.ts";

const folder = temporaryFolder();
const policyFile = join(folder.path, "policies.yaml");
let agent: RunningAgent;
let victim: Awaited<ReturnType<typeof startAttackVictim>>;

// A separate tool, for other tests of this machine use the system's.
const tool = join(realpathSync(folder.path), "reader");
copyFileSync("/bin/dd", tool);
chmodSync(tool, 0o755);
const digestOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const byDigest = (sha256: string) => ({ executables: [{ path: tool, sha256 }] });

beforeAll(async () => {
  writeFileSync(policyFile, "{}", { mode: 0o600 });
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true", POLICY_FILE: policyFile });
  victim = await startAttackVictim();
  await agent.protect(victim.pid);
});
afterAll(async () => {
  await victim[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const deadline = (what: string) => ({ deadlineMs: 20_000, what });
const newsOf = (kind: string) => agent.records().filter((record) => record.kind === kind);

/** Writes policies, and waits until the agent says that it has them. */
async function putInForce(...policies: readonly object[]): Promise<void> {
  const before = newsOf("agent_policies_in_force").length;
  const named = policies.map((policy, index) => ({
    ...{ name: `story-${before}-${index}`, reason: "a story of the tests" },
    ...policy,
  }));
  writeFileSync(policyFile, JSON.stringify({ policies: named }));
  await waitFor(() => newsOf("agent_policies_in_force").length > before, deadline("the policies"));
}

interface Attempt {
  readonly within?: (...words: readonly string[]) => readonly string[];
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens the victim's memory; returns the decision, and the policy behind it. */
async function attempt({ within = (...words) => words, words = [tool], env = {} }: Attempt = {}) {
  const child = Bun.spawn(
    [...within(...words, `if=/proc/${victim.pid}/mem`, "of=/dev/null", "count=0")],
    { stdio: ["ignore", "ignore", "ignore"], env: { PATH: "/bin:/usr/bin", ...env } },
  );
  await child.exited;
  const told = await waitFor(
    () => agent.records().find(({ actor, target }) => pidOf(actor) === child.pid && pidOf(target)),
    deadline(`word of ${child.pid}`),
  );
  const { decision, policy } = told;
  return {
    ran: child.exitCode === 0,
    decision: decision === "blocked" ? "killed" : decision,
    policy: typeof policy === "object" && policy !== null && "name" in policy,
  };
}

const stopped = { ran: false, decision: "killed", policy: false };
const allowed = { ran: true, decision: "allowed", policy: true };

describe("a policy", () => {
  test("lets a tool through, and the event names it", async () => {
    expect(await attempt()).toEqual(stopped);
    await putInForce({ who: byDigest(digestOf(tool)) });
    expect(await attempt()).toEqual(allowed);
  });

  test("lets no other file through, and not the tool with another library in it", async () => {
    expect(await attempt({ words: ["/bin/dd"] })).toEqual(stopped);
    expect(await attempt({ env: { LD_PRELOAD: "/nowhere.so" } })).toEqual(stopped);
  });

  test("lets a file through no more when it was written to", async () => {
    appendFileSync(tool, "\n");
    expect(await attempt()).toEqual(stopped);
    await waitFor(
      () => JSON.stringify(newsOf("agent_policies_in_force").at(-1)).includes("unusable"),
      deadline("word of the other digest"),
    );
    expect(await attempt()).toEqual(stopped);
  });

  test("of a dry run lets the attempt through, and says so", async () => {
    await putInForce({ mode: "dry-run", who: byDigest(digestOf(tool)) });
    const { tier } = JSON.parse((await agent.ask("/status")).body);
    const decision = tier === "tracing" ? "would_kill" : "would_block";
    expect(await attempt()).toEqual({ ran: true, decision, policy: true });
  });

  test("lets a debugger try the kernel on its own children, and makes no event of that", async () => {
    const path = join(realpathSync(folder.path), "debugger");
    copyFileSync(agentProgram("traces-children"), path);
    chmodSync(path, 0o755);
    await putInForce({ who: { executables: [{ path, sha256: digestOf(path) }] } });
    const before = agent.records().length;
    expect(Bun.spawnSync([path], { timeout: 60_000 }).exitCode).toBe(0);
    // Events come in their order.
    expect(await attempt()).toEqual(stopped);
    const told = agent
      .records()
      .slice(before)
      .map(({ kind }) => kind);
    expect(told.filter((kind) => kind.startsWith("ptrace"))).toEqual([]);
  });

  test("ends by itself", async () => {
    const expires = new Date(Date.now() + 8000).toISOString();
    await putInForce({ expires, who: byDigest(digestOf(tool)) });
    expect(await attempt()).toEqual(allowed);
    await waitFor(() => Date.now() > Date.parse(expires), deadline("its end"));
    expect(await attempt()).toEqual(stopped);
  });

  test("does not hold for other attempts than it names", async () => {
    await putInForce({ attempts: ["ptrace"], who: byDigest(digestOf(tool)) });
    expect(await attempt()).toEqual(stopped);
  });

  test("holds for a service of the system, and not for a folder that a user calls so", async () => {
    const unit = `backup-${process.pid}.service`;
    await putInForce({ who: { units: [unit] } });
    await using service = placedCgroup(["system.slice", unit]);
    expect(await attempt({ within: service.command })).toEqual(allowed);
    await using users = placedCgroup(["user.slice", unit]);
    expect(await attempt({ within: users.command })).toEqual(stopped);
    await using scope = placedCgroup([`run-${process.pid}.scope`, unit]);
    expect(await attempt({ within: scope.command })).toEqual(stopped);
    expect(await attempt()).toEqual(stopped);
  });

  test("of pods needs the API server, and says so", async () => {
    await putInForce({ who: { pods: [{ namespace: "backup" }] } });
    const { policies } = JSON.parse((await agent.ask("/status")).body);
    expect(policies.policies[0].unusable[0]).toContain("POLICY_RESOURCES is not set");
    expect(await attempt()).toEqual(stopped);
  });

  test("holds for a group, and a user, if all that it names fits", async () => {
    const inGroup = (...words: readonly string[]) => [
      ...["setpriv", "--groups", "54321", "--regid", "0", ...words],
    ];
    await putInForce({ who: { groups: [54321] } });
    expect(await attempt({ within: inGroup })).toEqual(allowed);
    expect(await attempt()).toEqual(stopped);
    await putInForce({ who: { users: [0], ...byDigest("0".repeat(64)) } });
    expect(await attempt()).toEqual(stopped);
    await putInForce({ who: { users: [0], ...byDigest(digestOf(tool)) } });
    expect(await attempt()).toEqual(allowed);
  });
});

test("a bad file changes nothing, and the agent says all that is wrong", async () => {
  await putInForce({ who: byDigest(digestOf(tool)) });
  const before = newsOf("agent_policies_refused").length;
  writeFileSync(policyFile, JSON.stringify({ policies: [{ name: "A B", mode: "off" }] }));
  await waitFor(() => newsOf("agent_policies_refused").length > before, deadline("the refusal"));
  const said = JSON.stringify(newsOf("agent_policies_refused").at(-1));
  for (const field of ["name", "reason", "mode", "who"]) {
    expect(said).toContain(`policies[0].${field}: wanted`);
  }
  expect(await attempt()).toEqual(allowed);
});

test("a file that others may write changes nothing", async () => {
  const before = newsOf("agent_policies_refused").length;
  chmodSync(policyFile, 0o666);
  await waitFor(() => newsOf("agent_policies_refused").length > before, deadline("the refusal"));
  expect(JSON.stringify(newsOf("agent_policies_refused").at(-1))).toContain("may write it");
});

test("with ENFORCE_DRY_RUN=true nothing is stopped, and events say so", async () => {
  await agent.kill("SIGTERM");
  writeFileSync(policyFile, "policies: []");
  chmodSync(policyFile, 0o600);
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true", ENFORCE_DRY_RUN: "true" });
  await using fresh = await startAttackVictim();
  await victim[Symbol.asyncDispose]();
  victim = fresh;
  await agent.protect(victim.pid);
  const { tier, enforcement } = JSON.parse((await agent.ask("/status")).body);
  expect(enforcement.does).toBe("none");
  const decision = tier === "tracing" ? "would_kill" : "would_block";
  expect(await attempt()).toEqual({ ran: true, decision, policy: false });
});

function pidOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "pid" in value ? value.pid : undefined;
}
