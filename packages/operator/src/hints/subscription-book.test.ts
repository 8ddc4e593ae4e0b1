import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { SubscriptionBook } from "./subscription-book.ts";
import { keyOf } from "./testdata/hub-stage.ts";

const limits = { subscriptions: 3, paths: 4, ofPod: 2 };

function wanted(uid: string, paths: readonly string[], port = 8199) {
  const secrets = paths.map((path) => ({ path: `secret/data/${path}`, version: 1 }));
  return { uid, address: "192.0.2.1", port, tls: false, key: keyOf(uid), secrets };
}

test("secrets and mounts are kept once, and as long as a subscription names them", () => {
  const mounts: string[] = [];
  const book = new SubscriptionBook(({ text }) => mounts.push(text), limits);
  const one = book.put(wanted("a", ["x", "y"]), 0);
  const two = book.put(wanted("b", ["y", "z"]), 0);
  if (typeof one === "string" || typeof two === "string") throw new TypeError();
  expect([book.size, book.paths, mounts]).toEqual([2, 3, ["secret"]]);
  book.drop(one);
  book.drop(one);
  expect([book.size, book.paths]).toEqual([1, 2]);
  book.clear();
  expect([book.size, book.paths, [...book.mounts()]]).toEqual([0, 0, []]);
  expect(book.put(wanted("a", ["x"]), 0)).toBeObject();
  expect(mounts).toEqual(["secret", "secret"]);
});

test("a pod has a subscription for each of its ports, and a renewal replaces one", () => {
  const book = new SubscriptionBook(() => undefined, limits);
  const first = book.put(wanted("a", ["x"], 1), 0);
  const second = book.put(wanted("a", ["x"], 2), 0);
  const renewed = book.put(wanted("a", ["y"], 1), 5);
  expect([book.size, book.paths]).toEqual([2, 2]);
  expect([first, second, renewed].map((it) => Object(it).index)).toEqual([-1, 0, 1]);
  for (const it of [renewed, second]) book.drop(it as Exclude<typeof it, string>);
  expect([book.size, book.paths]).toEqual([0, 0]);
});

test("each limit is said", () => {
  const book = new SubscriptionBook(() => undefined, limits);
  book.put(wanted("a", ["x"], 1), 0);
  book.put(wanted("a", ["x"], 2), 0);
  expect(book.put(wanted("a", ["x"], 3), 0)).toBe("a pod has 2 subscriptions at most");
  expect(book.put(wanted("b", ["1", "2", "3", "4"]), 0)).toBe(
    "this replica watches 4 secrets, and takes no more",
  );
  book.put(wanted("b", ["1"]), 0);
  expect(book.put(wanted("c", ["1"]), 0)).toBe(
    "this replica has 3 subscriptions, and takes no more",
  );
  expect(book.put(wanted("b", ["2"]), 0)).toBeObject();
});

test("a dropped key is overwritten", () => {
  const book = new SubscriptionBook(() => undefined);
  const put = book.put(wanted("a", ["x"]), 0);
  if (typeof put === "string") throw new TypeError(put);
  const key = book.keyOf(put);
  expect(Buffer.from(key).toString("hex")).toBe(keyOf("a"));
  book.drop(put);
  expect(key.every((byte) => byte === 0)).toBe(true);
});

test("a subscription with three secrets takes less than 1,000 bytes", () => {
  const count = 20_000;
  const used = () => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const book = new SubscriptionBook(() => undefined);
  const before = used();
  for (let index = 0; index < count; index += 1) {
    const paths = ["a", "b", "c"].map((name) => `team${index % 500}/${name}`);
    book.put(wanted(crypto.randomUUID(), paths), 0);
  }
  const each = (used() - before) / count;
  expect(book.size).toBe(count);
  expect(each).toBeLessThan(1000);
});
