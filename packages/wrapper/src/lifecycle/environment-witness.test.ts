import { expect, test } from "bun:test";
import process from "node:process";
import { environmentStart } from "@svc/kernel";
import { environmentWitness } from "./environment-witness.ts";

/** A witness for this process, and the places that the agent hears. */
function stage() {
  const heard: (readonly [pid: number, words: object])[] = [];
  const agent = { describe: (pid: number, words: object) => void heard.push([pid, words]) };
  return { heard, ...environmentWitness(agent, process.pid) };
}

test("the agent hears the environment of a program that was not traced", () => {
  const { heard, onStarted } = stage();
  onStarted();
  const bareEnvironment = environmentStart(process.pid);
  expect(bareEnvironment).toBeGreaterThan(0n);
  expect(heard).toEqual([[process.pid, { bareEnvironment }]]);
});

test("it hears that of a traced program from the tracer, and not once more", () => {
  const { heard, onProgram, onStarted } = stage();
  onProgram(4096n);
  onStarted();
  expect(heard).toEqual([[process.pid, { bareEnvironment: 4096n }]]);
});

test("nothing is said without an agent", () => {
  const { onProgram, onStarted } = environmentWitness(undefined, process.pid);
  expect([onProgram(4096n), onStarted()]).toEqual([undefined, undefined]);
});
