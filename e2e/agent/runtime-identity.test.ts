import { afterAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findRuntimes, machineOf } from "@svc/agent/testdata";
import { attackProgram, startAttackVictim, temporaryFolder } from "@svc/testing";
import { startAgentStage } from "../harness/agent/agent-stage.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** Perhaps on another file system than the checkout. */
const inTemporary = join(folder.path, "attack");
const inMemory = `/dev/shm/svc-attack-${process.pid}`;

test("the agent and the kernel side identify an executable in the same way", async () => {
  const original = attackProgram(process.env);
  for (const copy of [inTemporary, inMemory]) copyFileSync(original, copy);
  try {
    const paths = [original, inTemporary, inMemory];
    const { executables } = findRuntimes(paths, machineOf({ machinePids: false }));
    expect(executables).toHaveLength(3);
    await using victim = await startAttackVictim();
    using agent = startAgentStage();
    agent.protect(victim.pid, 1n);
    for (const [index, path] of paths.entries()) {
      const words = ["process-vm-readv", victim.pid, 1, victim.address, 0].map(String);
      Bun.spawnSync([path, ...words], { stdin: Buffer.from("\n") });
      const [event] = agent.violations();
      const name = basename(path);
      expect(event?.actor.executable).toEqual({
        inode: 0n,
        device: 0,
        ...executables[index],
        name,
      });
    }
  } finally {
    await Bun.file(inMemory).delete();
  }
});
