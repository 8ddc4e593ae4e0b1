/**
 * Measures the kernel side of the agent: `bun bench/agent.ts [--quick]`, as root. It counts the
 * events that arrive in a second. It measures a harmless system call, with the programs attached
 * and without. It asserts nothing.
 */
import { argv, stdout } from "node:process";
import { decodeEvent } from "@svc/agent";
import { EventPump, eventLine, eventOffsets } from "@svc/agent/testdata";
import { runAttack, startAttackVictim } from "@svc/testing";
import { startAgentStage } from "../e2e/harness/agent/agent-stage.ts";

const isQuick = argv.includes("--quick");
const events = isQuick ? 300_000 : 3_000_000;
const calls = isQuick ? 1_000_000 : 10_000_000;
const rounds = isQuick ? 3 : 7;

/**
 * How long the reader stays away: the ring has room for 22,000 events, and every event that wakes
 * costs its actor 5 µs.
 */
const PAUSE_MS = 2;

stdout.write(`${await consumption()}\n${await reading()}\n${await uninvolvedCalls()}\n`);

/**
 * One process attempts, this one reads now and then, until every event has arrived or was dropped.
 */
async function consumption(): Promise<string> {
  await using victim = await startAttackVictim();
  using agent = startAgentStage();
  agent.protect(victim.pid, 1n);
  let strange = 0;
  const visit = (data: DataView, at: number) => {
    if (data.getUint32(at + eventOffsets.target_pid, true) !== victim.pid) strange += 1;
  };
  const attack = runAttack("process-vm-readv", victim, { count: events });
  let isOver = false;
  const over = attack.then(() => {
    isOver = true;
  });
  let seen = 0;
  while (!isOver) {
    seen += agent.drain(visit);
    await Promise.race([over, Bun.sleep(PAUSE_MS)]);
  }
  seen += agent.drain(visit);
  const rate = (events / (await attack).seconds / 1e6).toFixed(2);
  const loss = `dropped ${agent.dropped()}, strange ${strange}`;
  return `events: ${seen} of ${events}, ${loss}; ${rate} M/s, all that one process can make`;
}

/** A ring that is nearly full is read at once, again and again. */
async function reading(): Promise<string> {
  await using victim = await startAttackVictim();
  using agent = startAgentStage();
  agent.protect(victim.pid, 1n);
  const rates = { "looked at": 0, "reported or summed up": 0, decoded: 0, "as JSON": 0 };
  const visits = {
    "looked at": (data: DataView, at: number) => data.getUint32(at + eventOffsets.target_pid, true),
    decoded: decodeEvent,
    "as JSON": (data: DataView, at: number, length: number) =>
      eventLine(decodeEvent(data, at, length)),
  };
  const violations = { read: agent.drain, release: () => undefined };
  const pump = new EventPump({ violations, everything: { drain: () => 0 } });
  const summedUp = () => {
    const before = pump.counts().read.violations;
    pump.turn();
    return pump.counts().read.violations - before;
  };
  for (let round = 0; round < 3 * rounds; round += 1) {
    for (const way of ["looked at", "reported or summed up", "decoded", "as JSON"] as const) {
      await runAttack("process-vm-readv", victim, { count: 30_000 });
      const started = performance.now();
      const seen = way === "reported or summed up" ? summedUp() : agent.drain(visits[way]);
      rates[way] = Math.max(rates[way], seen / (performance.now() - started) / 1000);
    }
  }
  const parts = Object.entries(rates).map(([way, rate]) => `${way} ${rate.toFixed(2)} M/s`);
  return `reading: ${parts.join(", ")}`;
}

/** The best of some rounds each way, in turns: other work of the machine only ever adds time. */
async function uninvolvedCalls(): Promise<string> {
  let without = Number.POSITIVE_INFINITY;
  let withAgent = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    without = Math.min(without, await nanosecondsOfCall());
    using _ = startAgentStage({ watchNode: true });
    withAgent = Math.min(withAgent, await nanosecondsOfCall());
  }
  const ratio = (withAgent / without).toFixed(2);
  const nanoseconds = [without, withAgent].map((value) => value.toFixed(0));
  return `getppid: ${nanoseconds[0]} ns without the agent, ${nanoseconds[1]} ns with it: ratio ${ratio}`;
}

async function nanosecondsOfCall(): Promise<number> {
  const { seconds } = await runAttack("getppid", { pid: 0 }, { count: calls });
  return (seconds / calls) * 1e9;
}
