import { expect, test } from "bun:test";
import { lineQueue } from "./line-queue.ts";

/** A reader that takes a text when it is told to. */
function slowReader() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const write = (text: string): Promise<void> => {
    taken.push(text);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { taken, write, take: () => waiting.shift()?.() };
}

test("lines go out in order, and those that wait go together", async () => {
  const reader = slowReader();
  const lines = lineQueue(reader.write);
  lines.put("one");
  await Promise.resolve();
  lines.put("two");
  lines.put("three");
  expect(reader.taken).toEqual(["one\n"]);
  reader.take();
  await new Promise(setImmediate);
  expect(reader.taken).toEqual(["one\n", "two\nthree\n"]);
});

test("lines beyond the limit are dropped and counted, and later lines are written again", async () => {
  const reader = slowReader();
  const lines = lineQueue(reader.write, 10);
  lines.put("first");
  await Promise.resolve();
  for (const line of ["123456789", "too much", "x"]) lines.put(line);
  expect(lines.dropped()).toBe(2);
  reader.take();
  await new Promise(setImmediate);
  lines.put("again");
  reader.take();
  await new Promise(setImmediate);
  expect(reader.taken).toEqual(["first\n", "123456789\n", "again\n"]);
});

test("a closed reader stops no writer", async () => {
  const lines = lineQueue(async () => {
    throw new TypeError("gone");
  });
  lines.put("one");
  await lines.flushed();
  lines.put("two");
  await lines.flushed();
  expect(lines.dropped()).toBe(0);
});

test("flushed does not wait for a reader that reads no more", async () => {
  const lines = lineQueue(slowReader().write);
  lines.put("one");
  await lines.flushed(1);
  expect(lines.dropped()).toBe(0);
});

test("flushed waits for running writes", async () => {
  const reader = slowReader();
  const lines = lineQueue(reader.write);
  lines.put("one");
  let isOut = false;
  const flushed = lines.flushed().then(() => {
    isOut = true;
  });
  await new Promise(setImmediate);
  expect(isOut).toBe(false);
  reader.take();
  await flushed;
  expect(isOut).toBe(true);
});
