import { describe, expect, test } from "bun:test";
import {
  type KnownRegistration,
  ledgerHead,
  ledgerLine,
  ledgerLines,
  parseLedger,
} from "./ledger-text.ts";

const head = ledgerHead("b1");
const one: KnownRegistration = {
  registration: 7n,
  wrapper: { pid: 10, startTicks: 100 },
  processes: [{ pid: 11, startTicks: 110, bareEnvironment: 0x7ffc_0000_1000n }],
};
const other = { ...one, registration: 8n, wrapper: { pid: 20, startTicks: 200 }, processes: [] };

describe("the content of a ledger", () => {
  const rows: readonly (readonly [
    name: string,
    text: string,
    known: readonly KnownRegistration[],
  ])[] = [
    ["nothing", "", []],
    ["the head alone", head, []],
    ["a wrapper and its program", head + ledgerLines(one), [one]],
    ["of two wrappers", head + ledgerLines(one) + ledgerLines(other), [one, other]],
    ["of another start of the machine", ledgerHead("b2") + ledgerLines(one), []],
    ["without a head", ledgerLines(one), []],
    ["a line twice", head + ledgerLines(one) + ledgerLines(one), [one]],
    ["a line that is cut short", `${head}${ledgerLines(one)}wrapper 8 20`, [one]],
    ["a last line without its end", head + ledgerLines(one) + ledgerLines(other).trimEnd(), [one]],
    ["lines of no sense", `${head}what 1 2 3\nwrapper -1 2 3\n\0\n${ledgerLines(one)}`, [one]],
    ["a process without its environment", `${head}${ledgerLines(one)}process 7 12 120\n`, [one]],
    ["lines with more", `${head}a wrapper 1 2 3\nwrapper 1 2 3 4\n${ledgerLines(one)}`, [one]],
    [
      "numbers of several digits",
      `${head}wrapper 1234567890123456789 1234567890 1234567890123456\n`,
      [
        {
          registration: 1234567890123456789n,
          wrapper: { pid: 1234567890, startTicks: 1234567890123456 },
          processes: [],
        },
      ],
    ],
    ["a program of no wrapper", head + ledgerLines(one).split("\n")[1], []],
    [
      "a program that another wrapper has taken over",
      head +
        ledgerLines(one) +
        ledgerLines(other) +
        one.processes
          .map((process) => ledgerLine({ what: "process", registration: 8n, process }))
          .join(""),
      [
        { ...one, processes: [] },
        { ...other, processes: one.processes },
      ],
    ],
  ];
  for (const [name, text, known] of rows) {
    test(name, () => expect(parseLedger(text, "b1")).toEqual([...known]));
  }
});
