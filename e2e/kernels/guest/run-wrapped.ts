import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attackProgram, runAttack, waitFor } from "@svc/testing";
import type { Audience } from "../../harness/agent/audience.ts";
import { pidOf } from "../../harness/agent/pid-of.ts";
import { lineReader } from "../../harness/processes/line-reader.ts";
import type { WrappedStory } from "./guest-results.ts";

const svc = join(import.meta.dirname, "../../../dist/bin/svc");
const secrets = "DB_PASSWORD=correct-horse\nAPI_KEY=k-1\n";

/**
 * A program under the wrapper, which registers it at the agent, and a process that reads its memory
 * until the agent knows both.
 */
export async function runWrapped(audience: Audience, folder: string): Promise<WrappedStory> {
  const { agent } = audience;
  const file = join(folder, "secrets.env");
  writeFileSync(file, secrets);
  const attackers: number[] = [];
  let [program, log] = [0, ""];
  const records = await audience.during(async () => {
    await using wrapper = startWrapped(file, `unix://${agent.socketPath}`);
    const victim = await wrapper.victim();
    program = victim.pid;
    // The wrapper reports the delivery method a moment after the program has started.
    const isKnown = async (): Promise<boolean> => {
      const { pid } = await runAttack("process-vm-readv", victim);
      attackers.push(pid);
      const record = await waitFor(() => agent.records().find((one) => pidOf(one) === pid), {
        deadlineMs: 60_000,
        what: `svc-agent to report attacker ${pid} on ${program}`,
      });
      return JSON.stringify(record).includes('"delivery":"inject"');
    };
    await waitFor(isKnown, { deadlineMs: 60_000, what: "svc-agent to know of the delivery" });
    log = wrapper.log();
  });
  return { program, attackers, records, log };
}

function startWrapped(file: string, agentAddress: string) {
  const victim = [attackProgram(process.env), "--victim"];
  const child = Bun.spawn([svc, "dev", "--secrets", file, "--", ...victim], {
    cwd: join(file, ".."),
    // A guest is slow: the wrapper goes on without an agent that takes long, unless it is told to
    // wait.
    env: { ...process.env, SVC_EBPF_AGENT_ADDR: agentAddress, SVC_REQUIRE_AGENT: "true" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) text += decoder.decode(chunk, { stream: true });
  })();
  return {
    log: () => text,
    victim: async () => {
      const [pid, address] = (await lineReader(child.stdout)()).split(" ");
      return { pid: Number(pid), address: BigInt(address ?? "0") };
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}
