import { expect, test } from "bun:test";
import { Urgencies } from "./urgencies.ts";

function waiting() {
  let now = 0;
  const urgencies = new Urgencies(() => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { urgencies, pass };
}

test("a pod whose secret expires sooner goes first", () => {
  const { urgencies } = waiting();
  urgencies.note("web", "calm", undefined);
  urgencies.note("web", "soon", 600);
  urgencies.note("web", "sooner", 300);
  const isOvertaken = (pod: string) => urgencies.hasMoreUrgent("web", pod);
  expect(["calm", "soon", "sooner"].map(isOvertaken)).toEqual([true, true, false]);
  expect(urgencies.hasMoreUrgent("other", "calm")).toBe(false);
});

test("a secret that lives for hours takes its turn like others", () => {
  const { urgencies } = waiting();
  urgencies.note("web", "calm", undefined);
  urgencies.note("web", "late", 7200);
  expect(urgencies.hasMoreUrgent("web", "calm")).toBe(false);
});

test("a pod that has its permit, or asks no more, waits no more", () => {
  const { urgencies, pass } = waiting();
  urgencies.note("web", "soon", 300);
  expect(urgencies.note("web", "calm", undefined)).toBe(2);
  urgencies.forget("web", "soon");
  expect(urgencies.hasMoreUrgent("web", "calm")).toBe(false);
  urgencies.note("web", "soon", 300);
  pass(46_000);
  expect(urgencies.note("web", "calm", undefined)).toBe(1);
  expect(urgencies.hasMoreUrgent("web", "calm")).toBe(false);
});
