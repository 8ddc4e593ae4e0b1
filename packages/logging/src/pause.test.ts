import { expect, test } from "bun:test";
import { pause } from "./pause.ts";

test("a pause ends by itself", async () => {
  await pause(1, new AbortController().signal);
});

test("an abort ends it, also one that came before", async () => {
  const end = new AbortController();
  const waiting = pause(1_000_000, end.signal);
  end.abort();
  await waiting;
  await pause(1_000_000, end.signal);
});

test("many leave nothing at the signal", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...words: Parameters<typeof add>) => {
    listeners += 1;
    add(...words);
  };
  signal.removeEventListener = (...words: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...words);
  };
  for (let index = 0; index < 100; index += 1) await pause(0, signal);
  expect(listeners).toBe(0);
});
