import { describe, expect, test } from "bun:test";
import { parseStopSignal, signalName } from "./signals.ts";
import { testParsers } from "./testdata/parser-table.ts";

describe("signalName", () => {
  for (const [signal, name] of [
    [1, "SIGHUP"],
    [15, "SIGTERM"],
    [31, "SIGSYS"],
    [32, "signal 32"],
    [34, "SIGRTMIN"],
    [37, "SIGRTMIN+3"],
    [64, "SIGRTMIN+30"],
    [65, "signal 65"],
    [0, "signal 0"],
  ] as const) {
    test(`of ${signal} is ${name}`, () => {
      expect(signalName(signal)).toBe(name);
    });
  }
});

testParsers({
  parseStopSignal: {
    parse: parseStopSignal,
    reads: [
      ["SIGTERM", 15],
      ["TERM", 15],
      ["sigquit", 3],
      ["Int", 2],
      ["SIGWINCH", 28],
      ["SIGKILL", 9],
      ["15", 15],
      ["64", 64],
      ["SIGRTMIN", 34],
      ["SIGRTMIN+3", 37],
      ["RTMAX-14", 50],
      ["SIGRTMAX", 64],
    ],
    refuses: [
      [""],
      ["0"],
      ["32"],
      ["65"],
      ["-15"],
      ["15.0"],
      ["1e1"],
      ["SIG"],
      ["SIGRTMIN+31"],
      ["SIGRTMAX-31"],
      ["RTMIN-1"],
      ["SIGRTMIN+"],
      ["SIGTERN", "did you mean SIGTERM?"],
      ["SIGSTOP"],
      ["19"],
      ["CONT"],
      ["CHLD"],
      ["TSTP"],
      [" TERM", "did you mean SIGTERM?"],
      ["SIGSIGTERM"],
    ],
  },
});
