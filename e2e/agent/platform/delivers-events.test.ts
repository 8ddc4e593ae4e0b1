import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AttackVictim,
  runAttack,
  startAttackVictim,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { startAgent } from "../../harness/agent/running-agent.ts";
import { byActor, prints, startPlatformStage } from "./platform-stage.ts";

const TOKEN = "canary-platform-token-7f3a";

let victim: AttackVictim;

beforeAll(async () => {
  victim = await startAttackVictim();
});

afterAll(() => victim[Symbol.asyncDispose]());

describe("a real collector is given every event", () => {
  const rows: readonly (readonly [
    name: string,
    scheme: string,
    environment: Record<string, string>,
  ])[] = [
    ["over gRPC, compressed", "grpc", {}],
    ["over gRPC, not compressed", "grpc", { PLATFORM_COMPRESSION: "none" }],
    ["over HTTP, compressed", "http", {}],
    ["over HTTP, not compressed", "http", { PLATFORM_COMPRESSION: "none" }],
  ];
  for (const [name, scheme, environment] of rows) {
    test(name, async () => {
      await using stage = await startPlatformStage({ scheme, environment });
      await stage.agent.protect(victim.pid);
      const { pid } = await runAttack("process-vm-readv", victim);
      const record = await stage.receives(byActor(pid));
      const parent = expect.objectContaining({ pid: String(process.pid) });
      expect(record).toMatchObject({
        severity: "WARN",
        resource: { "service.name": "svc-agent", "k8s.node.name": "node-1" },
        attributes: {
          "svc.event.kind": "process_vm_readv",
          "svc.event.decision": "observed",
          "thread.name": "svc-attack",
          // Its process has ended by now: the kernel side has taken the name.
          "process.executable.name": "svc-attack",
          "process.user.id": "0",
          "svc.target.process.user.id": "0",
          "svc.target.k8s.container.name": "web",
          "svc.target.process.executable.name": "svc-attack",
        },
        body: {
          kind: "process_vm_readv",
          actor: { ancestors: expect.arrayContaining([parent]) },
          target: { registration: { keyCount: "2" }, ancestors: expect.arrayContaining([parent]) },
        },
      });
      await prints(stage.agent, record.id);
    });
  }

  const secured: readonly (readonly [name: string, scheme: string, mutual: boolean])[] = [
    ["over gRPC with TLS", "grpcs", false],
    ["over gRPC with TLS and its own certificate", "grpcs", true],
    ["over HTTP with TLS", "https", false],
    ["over HTTP with TLS and its own certificate", "https", true],
  ];
  for (const [name, scheme, mutual] of secured) {
    test(name, async () => {
      await using stage = await startPlatformStage({ scheme, tls: mutual ? "mutual" : "server" });
      await stage.receives(({ kind }) => kind === "agent_started");
    });
  }

  test("a certificate of an unknown issuer is not trusted, and the event waits", async () => {
    await using stage = await startPlatformStage({ scheme: "https", tls: "server", trusts: false });
    await waitFor(() => stage.agent.log().includes("the platform does not take events"), {
      deadlineMs: 5000,
      what: "the agent to complain",
    });
    expect(stage.sink.received()).toEqual([]);
    expect((await stage.agent.ask("/metrics")).body).toContain("svc_agent_platform_up 0");
  });
});

describe("headers", () => {
  test("reach the platform, are read again after a refusal, and are in no line", async () => {
    using own = temporaryFolder();
    const file = join(own.path, "headers");
    writeFileSync(file, `Authorization: Bearer wrong\n`);
    const seen: string[] = [];
    await using platform = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        const given = request.headers.get("authorization") ?? "";
        seen.push(given);
        return new Response(null, { status: given === `Bearer ${TOKEN}` ? 200 : 401 });
      },
    });
    await using agent = await startAgent(own.path, {
      PLATFORM_ENDPOINT: `http://127.0.0.1:${platform.port}`,
      PLATFORM_HEADERS_FILE: file,
    });
    await waitFor(() => seen.includes("Bearer wrong"), {
      deadlineMs: 5000,
      what: "a first request",
    });
    writeFileSync(file, `# of the platform\n\nAuthorization: Bearer ${TOKEN}\n`);
    await waitFor(() => seen.includes(`Bearer ${TOKEN}`), {
      deadlineMs: 5000,
      what: "the new header",
    });
    await waitFor(
      async () => (await agent.ask("/metrics")).body.includes("svc_agent_platform_up 1"),
      {
        deadlineMs: 5000,
        what: "the platform to be up",
      },
    );
    const { body } = await agent.ask("/status");
    const everything = `${agent.log()}${JSON.stringify(agent.records())}${body}`;
    expect(everything).not.toContain(TOKEN);
    expect(everything).not.toContain("wrong");
  });
});
