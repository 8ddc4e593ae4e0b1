import { expect, test } from "bun:test";
import { REQUEST_BYTES, RequestBuffers } from "./request-buffers.ts";

test("a buffer that was given back is used again, and nothing is left in it", () => {
  const buffers = new RequestBuffers();
  const first = buffers.take();
  first.fill(7);
  buffers.giveBack(first);
  const second = buffers.take();
  expect(second).toBe(first);
  expect(second).toEqual(new Uint8Array(REQUEST_BYTES));
  expect(buffers.take()).not.toBe(second);
});

test("one buffer stays when nobody is there", () => {
  const buffers = new RequestBuffers();
  const [one, two] = [buffers.take(), buffers.take()];
  buffers.giveBack(one);
  buffers.giveBack(two);
  buffers.release();
  expect(buffers.take()).toBe(one);
  expect(buffers.take()).not.toBe(two);
});
