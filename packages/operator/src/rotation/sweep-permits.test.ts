import { expect, test } from "bun:test";
import type { ListedPermits } from "./permit-store.ts";
import { sweepPermits } from "./sweep-permits.ts";
import { podOf } from "./testdata/pods.ts";

const holder = { pod: "a", uid: "uid-of-a", by: "program", sinceMs: 1, doneMs: 2 } as const;

/** Sweeps once, with the pods that are ready. @returns the Leases that are removed */
async function removedBy(listed: readonly ListedPermits[], ready: readonly string[]) {
  const removed: string[] = [];
  const end = new AbortController();
  const store = {
    list: async () => {
      end.abort();
      return listed;
    },
    remove: async ({ lease }: ListedPermits) => {
      removed.push(lease);
    },
  };
  const pod = async (_: string, name: string) => podOf(name, { isReady: ready.includes(name) });
  await sweepPermits({ store, reader: { pod }, log: () => undefined }, end.signal);
  return removed;
}

test("permits whose pods are all ready again are removed, and no others", async () => {
  const at = { namespace: "shop", resourceVersion: "1" };
  const other = { ...holder, pod: "b", uid: "uid-of-b" };
  const listed = [
    { ...at, lease: "over", holders: [holder] },
    { ...at, lease: "half", holders: [holder, other] },
    { ...at, lease: "under way", holders: [other] },
  ];
  expect(await removedBy(listed, ["a"])).toEqual(["over"]);
});
