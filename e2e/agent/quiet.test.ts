import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackVictim, startAttackVictim } from "@svc/testing";
import { type AgentStage, startAgentStage } from "./agent-stage.ts";

let agent: AgentStage;
let victim: AttackVictim;

beforeAll(async () => {
  victim = await startAttackVictim();
  agent = startAgentStage();
  agent.protect(victim.pid, 1n, "bare");
});

afterAll(async () => {
  agent[Symbol.dispose]();
  await victim[Symbol.asyncDispose]();
});

/** What goes on beside a protected process, by who does it. */
const neighbours: readonly (readonly [who: string, script: string])[] = [
  ["ps", "ps aux; ps -ef; ps -eLf; ps auxe; ps -o pid,wchan,cgroup,args -p $VICTIM"],
  ["top", "top -bn1; top -H -bn1"],
  ["pgrep and pidof", "pgrep -af svc; pidof svc-attack; pkill -0 svc-attack"],
  [
    "whoever lists open files",
    "ls -l /proc/$VICTIM/fd /proc/$VICTIM/ns; cat /proc/$VICTIM/fdinfo/0",
  ],
  [
    "a log daemon that asks who wrote a line",
    "cd /proc/$VICTIM; cat comm cmdline status cgroup loginuid sessionid stat; readlink exe cwd root",
  ],
  [
    "an agent of metrics",
    "cd /proc/$VICTIM; cat stat statm io limits smaps_rollup oom_score schedstat net/dev; ls fd | wc -l",
  ],
  ["a container runtime that enters its namespaces", "nsenter --target $VICTIM --uts --net true"],
  ["a shell that signals it", "kill -0 $VICTIM; kill -CONT $VICTIM; kill -WINCH $VICTIM"],
  ["find", "find /proc/$VICTIM -maxdepth 1; find /usr/include -name stdio.h"],
  ["a build", "echo 'int main(void){return 0;}' | gcc -x c - -o /dev/null"],
  [
    "another program that looks at itself",
    "cat /proc/self/maps /proc/self/environ /proc/self/auxv",
  ],
];

describe("no event comes of", () => {
  for (const [who, script] of neighbours) {
    test(who, () => {
      const env = { ...process.env, VICTIM: String(victim.pid) };
      const { exitCode } = Bun.spawnSync(["sh", "-c", script], { env });
      expect({ exitCode }).not.toEqual({ exitCode: 127 });
      expect(agent.violations()).toEqual([]);
    });
  }

  test("all of them, together, for two seconds", async () => {
    const env = { ...process.env, VICTIM: String(victim.pid) };
    const end = performance.now() + 2000;
    let rounds = 0;
    while (performance.now() < end) {
      const running = neighbours.map(([, script]) =>
        Bun.spawn(["sh", "-c", script], { env, stdio: ["ignore", "ignore", "ignore"] }),
      );
      await Promise.all(running.map(({ exited }) => exited));
      rounds += 1;
    }
    expect(rounds).toBeGreaterThan(0);
    expect(agent.violations()).toEqual([]);
    expect(agent.dropped()).toBe(0);
  });
});
