import { expect, test } from "bun:test";
import { parsePod } from "./parse-pod.ts";

test("a pod is the value itself, unknown fields included", () => {
  const value = { metadata: {}, spec: { containers: [{ name: "a", newField: 1 }], other: null } };
  expect(parsePod(value)).toEqual({ ok: true, pod: value });
});

test("null means absent, as templates leave it", () => {
  const spec = { containers: [{ name: "a", env: null, args: null }], volumes: null };
  expect(parsePod({ metadata: { annotations: null }, spec }).ok).toBe(true);
});

test("all problems are reported at once, without values", () => {
  const container = { name: 7, command: "run secret", env: [{ value: "x" }] };
  const spec = { containers: [container], volumes: {}, hostPID: "yes" };
  expect(parsePod({ metadata: { annotations: { a: 1 } }, spec })).toEqual({
    ok: false,
    problems: [
      'pod.metadata.annotations["a"]: must be a text: it is a number',
      "pod.spec.containers[0].name: must be a text: it is a number",
      "pod.spec.containers[0].command: must be a list: it is a string",
      "pod.spec.containers[0].env[0].name: must be set: it is not set",
      "pod.spec.volumes: must be a list: it is an object",
      "pod.spec.hostPID: must be true or false: it is a string",
    ],
  });
});

test("a value that is not an object is not a pod", () => {
  for (const value of [null, [], "pod", 3]) expect(parsePod(value).ok).toBe(false);
  expect(parsePod({})).toEqual({
    ok: false,
    problems: ["pod.metadata: must be set: it is not set", "pod.spec: must be set: it is not set"],
  });
});
