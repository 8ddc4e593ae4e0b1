import { expect, test } from "bun:test";
import { type LoginCaller, refusalOf } from "./judge-caller.ts";

const wrapper = { device: 1n, inode: 7n };
const first: LoginCaller = {
  ...{ podUid: "a", namespacePids: [4711, 1], tracer: 0, executable: wrapper },
};
const rows: readonly (readonly [string, Partial<LoginCaller>, RegExp | undefined])[] = [
  ["the wrapper as the first process", {}, undefined],
  ["the same in a node that is a container itself", { namespacePids: [9, 5, 1] }, undefined],
  ["a process outside of pods", { podUid: undefined }, /not in a pod/],
  ["a later process, as of kubectl exec", { namespacePids: [4711, 23] }, /not the first/],
  ["the wrapper in a pod with hostPID", { namespacePids: [4711] }, /node's pid namespace/],
  ["the node's first process", { namespacePids: [1] }, /node's pid namespace/],
  ["another file", { executable: { device: 1n, inode: 8n } }, /does not run the wrapper/],
  ["a file of another device", { executable: { device: 2n, inode: 7n } }, /does not run/],
  ["a file out of reach", { executable: undefined }, /cannot look/],
  ["a wrapper that is traced", { tracer: 99 }, /traces it/],
];
for (const [name, change, reason] of rows) {
  test(`${name} ${reason === undefined ? "gets" : "does not get"} the token`, () => {
    const found = refusalOf({ ...first, ...change }, [wrapper]);
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(reason);
  });
}

test("a pod without a volume of the driver has no wrapper", () => {
  expect(refusalOf(first, [])).toMatch(/does not run the wrapper/);
});
