import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { openLedger } from "./ledger.ts";
import { ledgerHead, ledgerLines } from "./ledger-text.ts";
import { readProcess } from "./process-facts.ts";

const self = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0 };
const gone = { pid: process.pid, startTicks: self.startTicks + 1 };
const bareEnvironment = 0x7ffc_0000_1000n;
const silent = () => undefined;

test("the next agent knows the notes of the last one about live processes", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "below/registry");
  const options = { path, bootId: "b", onFault: silent };
  const first = openLedger(options);
  expect(first.known).toEqual([]);
  first.note({ what: "wrapper", registration: 1n, process: self });
  first.note({ what: "process", registration: 1n, process: { ...self, bareEnvironment } });
  first.note({ what: "process", registration: 1n, process: { ...gone, bareEnvironment } });
  first.note({ what: "wrapper", registration: 2n, process: gone });
  const known = { registration: 1n, wrapper: self, processes: [{ ...self, bareEnvironment }] };
  expect(openLedger(options).known).toEqual([known]);
  expect(readFileSync(path, "latin1")).toBe(ledgerHead("b") + ledgerLines(known));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openLedger({ ...options, bootId: "c" }).known).toEqual([]);
});

test("it is rewritten when it has become long, and not before", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "registry");
  const ledger = openLedger({ path, bootId: "b", onFault: silent });
  const note = () => ledger.note({ what: "wrapper", registration: 1n, process: gone });
  note();
  ledger.tidy(() => []);
  expect(readFileSync(path, "latin1")).not.toBe(ledgerHead("b"));
  for (let count = 0; count < 60_000; count += 1) note();
  ledger.tidy(() => []);
  expect(readFileSync(path, "latin1")).toBe(ledgerHead("b"));
});

describe("it is not opened", () => {
  const rows: readonly (readonly [name: string, make: (path: string) => void])[] = [
    ["in the place of a folder", (path) => mkdirSync(path)],
    ["in the place of a link", (path) => symlinkSync("/etc/hostname", path)],
    [
      "if others may write to it",
      (path) => {
        writeFileSync(path, "");
        chmodSync(path, 0o622);
      },
    ],
  ];
  for (const [name, make] of rows) {
    test(name, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "registry");
      make(path);
      expect(() => openLedger({ path, bootId: "b", onFault: silent })).toThrow(
        expect.objectContaining({ code: "REGISTRY_UNUSABLE" }),
      );
    });
  }
});

test("a disk that takes nothing is reported once", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "registry");
  const faults: string[] = [];
  const ledger = openLedger({ path, bootId: "b", onFault: (text) => void faults.push(text) });
  Bun.spawnSync(["sh", "-c", 'rm "$0" && mkdir "$0"', path]);
  for (let count = 0; count < 2; count += 1) {
    ledger.note({ what: "wrapper", registration: 1n, process: self });
  }
  expect(faults).toHaveLength(1);
});
