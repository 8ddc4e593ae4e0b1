import { expect, test } from "bun:test";
import { judgeMessage } from "./judge-message.ts";

const body = "The agent died of a read that it had allowed.";

test.each([
  ["a subject and a body", `agent: let a tracer read\n\n${body}\n`],
  ["a body of several lines", `agent: let a tracer read\n\n${body}\nIt waited.\n`],
  ["a reason in the subject", "bpf: let a tool trace its forks, as gdb does"],
  ["two areas", `agent, bpf: let a tracer read\n\n${body}`],
  ["a path as the area", `e2e/harness: wait for the port\n\n${body}`],
  ["a merge", "Merge branch 'prose'"],
])("a message is accepted with %s", (_, message) => {
  expect(judgeMessage(message)).toEqual([]);
});

test.each([
  ["no area", `Let a tracer read\n\n${body}`, 'want a subject of the form "area:'],
  ["a capital", `agent: Let a tracer read\n\n${body}`, 'want a subject of the form "area:'],
  [
    "73 characters",
    `agent: ${"x".repeat(66)}\n\n${body}`,
    "the subject has 73 characters, want at most 72",
  ],
  ["no body", "agent: let a tracer read\n", "want a body of one to three sentences"],
  ["no empty line", `agent: let a tracer read\n${body}`, "want an empty line behind the subject"],
])("a message is refused with %s", (_, message, problem) => {
  expect(judgeMessage(message)).toEqual([expect.stringContaining(problem)]);
});
