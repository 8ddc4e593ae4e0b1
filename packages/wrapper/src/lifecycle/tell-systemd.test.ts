import { describe, expect, test } from "bun:test";
import type { Phase } from "../life/life.ts";
import { tellSystemd } from "./tell-systemd.ts";

const phase = (kind: Exclude<Phase["kind"], "running">): Phase => ({ kind, reason: "why" });
const running: Phase = { kind: "running" };

describe("tellSystemd", () => {
  const rows: readonly (readonly [
    name: string,
    phases: readonly Phase[],
    said: readonly string[],
  ])[] = [
    [
      "a life without events",
      [phase("starting"), running, phase("stopped")],
      ["status starting: why", "ready the program runs", "stopping why", "stop"],
    ],
    [
      "a wrapper that waits for a token",
      [phase("sealed"), phase("starting"), running],
      ["status sealed: why", "status starting: why", "ready the program runs"],
    ],
    [
      "a program that is replaced",
      [running, phase("restarting"), running],
      ["ready the program runs", "reloading why", "ready the program runs"],
    ],
    [
      "a token that dies while the program runs",
      [running, { kind: "running", sealed: true }],
      [
        "ready the program runs",
        "ready the program runs; sealed: POST /v1/unseal has to bring a token",
      ],
    ],
    ["a restart before the first start", [phase("restarting")], ["status why"]],
  ];
  for (const [name, phases, said] of rows) {
    test(`tells ${name}`, () => {
      const heard: string[] = [];
      const hear = (what: string) => (text: string) => void heard.push(`${what} ${text}`);
      const tell = tellSystemd({
        ready: hear("ready"),
        status: hear("status"),
        reloading: hear("reloading"),
        stopping: hear("stopping"),
        stop: () => void heard.push("stop"),
      });
      for (const each of phases) tell(each);
      expect(heard).toEqual([...said]);
    });
  }
});
