import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attackProgram, runAttack, waitFor } from "@svc/testing";
import type { RunningAgent } from "../../agent/running-agent.ts";
import { lineReader } from "../../preload/line-reader.ts";
import type { Audience } from "./audience.ts";
import type { WrappedStory } from "./guest-results.ts";

const svc = join(import.meta.dirname, "../../../dist/bin/svc");

/** A program under the wrapper, which has the agent protect it, and somebody who reads its memory. */
export async function runWrapped(
  agent: RunningAgent,
  audience: Audience,
  folder: string,
): Promise<WrappedStory> {
  const secrets = join(folder, "secrets.env");
  writeFileSync(secrets, "DB_PASSWORD=correct-horse\nAPI_KEY=k-1\n");
  const attackers: number[] = [];
  let program = 0;
  let log = "";
  const records = await audience.during(async () => {
    const child = Bun.spawn(
      [svc, "dev", "--secrets", secrets, "--", attackProgram(process.env), "--victim"],
      {
        cwd: folder,
        env: { ...process.env, SVC_EBPF_AGENT_ADDR: `unix://${agent.socketPath}` },
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    const complaints = child.stderr.text();
    const [pid, address] = (await lineReader(child.stdout)()).split(" ");
    program = Number(pid);
    const victim = { pid: program, address: BigInt(address ?? 0) };
    const attack = async (): Promise<number> => {
      const attacker = (await runAttack("process-vm-readv", victim)).pid;
      attackers.push(attacker);
      return attacker;
    };
    const told = (attacker: number) =>
      agent.records().find(({ actor }) => JSON.stringify(actor).includes(`"pid":${attacker},`));
    await waitFor(
      async () => {
        const attacker = await attack();
        const record = await waitFor(() => told(attacker), {
          deadlineMs: 5000,
          what: `attacker ${attacker} to be seen`,
        });
        // How it was delivered is told a moment after the program has started.
        return JSON.stringify(record["target"]).includes('"rung":"inject"');
      },
      { deadlineMs: 15_000, what: "the wrapper to say how it has delivered" },
    ).catch((error: unknown) => void (log = `${error}\n`));
    process.kill(program, "SIGTERM");
    child.stdin.end();
    await child.exited;
    log += await complaints;
  });
  return { program, attackers, records, log };
}
