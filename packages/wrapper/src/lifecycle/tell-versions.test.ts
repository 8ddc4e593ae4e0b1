import { describe, expect, test } from "bun:test";
import type { Versions } from "../agent/agent-messages.ts";
import { newLife } from "../life/advance-life.ts";
import type { Life } from "../life/life.ts";
import { versionsMessage, versionTeller } from "./tell-versions.ts";

const named = ({ path }: { readonly path: string }) => path;
const versionOf = (version: number): Life => ({
  ...newLife,
  applicationRuns: true,
  versions: [{ path: "secret/data/app", version, sinceMs: 1500.4 }],
});
const secret = { path: "secret/data/app", sinceMs: 1500n };

test("the agent hears each change once, and the end of the program", () => {
  const heard: Versions[] = [];
  const tell = versionTeller({ tellVersions: (versions) => void heard.push(versions) }, named);
  const ended = { ...versionOf(4), applicationRuns: false };
  const lives = [newLife, versionOf(3), versionOf(3), versionOf(4), ended, ended, versionOf(4)];
  for (const life of lives) tell(life);
  expect(heard.map(({ secrets }) => secrets)).toEqual([
    [{ ...secret, version: 3n }],
    [{ ...secret, version: 4n }],
    [],
    [{ ...secret, version: 4n }],
  ]);
});

test("without an agent there is nothing to be told", () => {
  expect(() => versionTeller(undefined, named)(versionOf(3))).not.toThrow();
});

describe("Versions", () => {
  const rows = [
    ["have whole milliseconds", 1500.6, 1501n],
    ["of a clock before 1970 begin in 1970", -5000, 0n],
  ] as const;
  for (const [name, sinceMs, told] of rows) {
    test(name, () => {
      const secret = { path: "secret/data/app", version: 3 };
      expect(versionsMessage([{ ...secret, sinceMs }])).toEqual({
        kind: "versions",
        secrets: [{ ...secret, version: 3n, sinceMs: told }],
      });
    });
  }
});
