import { describe, expect, test } from "bun:test";
import type { PrintedRecord } from "../../harness/agent/running-agent.ts";
import { toldAttacks } from "./told-attacks.ts";

const kindsOf = (name: string) => [name === "proc-mem" ? "process_file" : "ptrace"];

/** Attacks with their pids, and the records of agents; the attacks that count as not reported. */
const rows: readonly (readonly [
  name: string,
  made: Readonly<Record<number, string>>,
  records: readonly PrintedRecord[],
  misses: readonly string[],
])[] = [
  ["an attack with its own record", { 7: "proc-mem" }, [record(7, "process_file")], []],
  ["an attack without a record", { 7: "proc-mem" }, [], ["proc-mem"]],
  [
    "attacks of a record that sums up as many",
    { 7: "proc-mem", 8: "proc-mem" },
    [record(7, "process_file", 2)],
    [],
  ],
  [
    "more attacks than a record sums up",
    { 7: "proc-mem", 8: "proc-mem", 9: "proc-mem" },
    [record(7, "process_file", 2)],
    ["proc-mem"],
  ],
  [
    "an attack of another kind than the record that sums up",
    { 7: "proc-mem", 8: "ptrace-attach" },
    [record(7, "process_file", 2)],
    ["ptrace-attach"],
  ],
];

describe("attacks that no agent has reported", () => {
  for (const [name, made, records, misses] of rows) {
    test(name, () => {
      const told = toldAttacks(kindsOf);
      for (const [pid, attack] of Object.entries(made)) told.made(Number(pid), attack);
      told.told(records);
      expect(told.misses()).toEqual([...misses]);
    });
  }
});

test("a process of the soak may end an agent, reported or not", () => {
  const told = toldAttacks(kindsOf);
  told.mayBeTold(7);
  told.mayBeTold(8);
  told.told([record(7, "agent_tampering"), record(9, "agent_tampering")]);
  expect(told.strays()).toMatchObject([{ actor: { pid: 9 } }]);
  expect(told.misses()).toEqual([]);
});

function record(pid: number, kind: string, count = 1): PrintedRecord {
  return { id: `${pid}`, kind, count, actor: { pid, parentPid: 1 } };
}
