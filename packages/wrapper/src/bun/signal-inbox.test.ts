import { expect, test } from "bun:test";
import { SignalInbox } from "./signal-inbox.ts";

test("what came before anybody was there is handed on first, in its order and once", () => {
  const inbox = new SignalInbox({ handOn: () => undefined, catchPower: () => undefined });
  const taken: number[] = [];
  inbox.receive(15);
  inbox.receive(1);
  expect(taken).toEqual([]);
  inbox.open((signal) => taken.push(signal));
  expect(taken).toEqual([15, 1]);
  inbox.receive(2);
  expect(taken).toEqual([15, 1, 2]);
});

test("what comes while the first are handed on is not lost", () => {
  const inbox = new SignalInbox({ handOn: () => undefined, catchPower: () => undefined });
  const taken: number[] = [];
  inbox.receive(15);
  inbox.open((signal) => {
    if (signal === 15) inbox.receive(2);
    taken.push(signal);
  });
  expect(taken.toSorted((a, b) => a - b)).toEqual([2, 15]);
});
