import { describe, expect, test } from "bun:test";
import type { BootstrapSettings, ProgressEvent } from "@svc/bootstrap";
import { linesOf } from "../testdata/lines-of.ts";
import { JsonReporter } from "./json-reporter.ts";
import type { Reporter } from "./reporter.ts";
import { stepLabels } from "./step-labels.ts";
import { TerminalReporter } from "./terminal-reporter.ts";
import { TextReporter } from "./text-reporter.ts";

const events: readonly ProgressEvent[] = [
  { event: "started", step: "initialise" },
  { event: "waiting", for: "store-0 is Pending" },
  { event: "ended", step: "initialise", outcome: "created", ms: 1.7 },
  { event: "ended", step: "unseal", target: "store-0", outcome: "updated", ms: 0 },
  { event: "started", step: "role" },
  { event: "ended", step: "role", outcome: "updated", differs: ["token_ttl"], ms: 2 },
  { event: "warning", message: "STORE_ADDR: the store does not serve there" },
  { event: "started", step: "policy" },
  { event: "failed", step: "policy", ms: 3 },
];

function play(reporter: Reporter): void {
  for (const event of events) reporter.progress(event);
  reporter.error({ code: "NOT_KEPT", message: "write it: it differs", hint: "run this again" });
  reporter.result({ fields: { changes: 3 }, lines: ["done: 3 things changed"] });
}

function textOf(make: (out: (text: string) => void, err: (text: string) => void) => Reporter) {
  let [out, err] = ["", ""];
  const reporter = make(
    (text) => {
      out += text;
    },
    (text) => {
      err += text;
    },
  );
  play(reporter);
  return { out, err };
}

const settings: Partial<BootstrapSettings> = {
  role: {
    ...{ name: "app", boundNames: ["*"], boundNamespaces: ["*"] },
    ...{ ttlSeconds: 60, tokenType: "service" },
  },
};

const said = "svc: warning: STORE_ADDR: the store does not serve there\n";
const failed = "svc: error: write it: it differs\nsvc: hint: run this again\n";

describe("people read", () => {
  test("a line for each step, and the reason for a wait", () => {
    const labels = stepLabels(settings);
    const { out, err } = textOf((write, complain) => {
      return new TextReporter({ out: write, err: complain }, { labels });
    });
    expect(out.split("\n")).toEqual([
      "  waiting    store-0 is Pending",
      "  created    initialise the store, and keep its keys",
      "  updated    unseal store-0",
      "  updated    role app (token_ttl)",
      "  failed     policy",
      "done: 3 things changed",
      "",
    ]);
    expect(err).toBe(said + failed);
  });

  test("in a dry run the planned changes", () => {
    const { out } = textOf((write, complain) => {
      const style = { labels: stepLabels(), dryRun: true };
      return new TextReporter({ out: write, err: complain }, style);
    });
    expect(out).toContain("  to create  initialise the store, and keep its keys\n");
    expect(out).toContain("  to update  unseal store-0\n");
  });

  test("on a terminal the same, and between the lines the present step", () => {
    const { out } = textOf((write, complain) => {
      const text = new TextReporter({ out: write, err: complain }, { labels: stepLabels() });
      return new TerminalReporter(text, { write, columns: () => 60 });
    });
    const drawn = out.split("\r\u001B[K");
    expect(drawn).toContain("  working    initialise the store, and keep its keys: waiti");
    // The final content of a terminal: the last text of each line.
    const shown = out.split("\n").map((line) => line.split("\r\u001B[K").at(-1));
    expect(shown).toEqual([
      "  created    initialise the store, and keep its keys",
      "  updated    unseal store-0",
      "  updated    role (token_ttl)",
      "  failed     policy",
      "done: 3 things changed",
      "",
    ]);
  });
});

test("programs read JSON objects, one a line", () => {
  const { out, err } = textOf((write) => new JsonReporter(write));
  expect(linesOf(out)).toEqual([
    { type: "step", state: "started", step: "initialise" },
    { type: "waiting", for: "store-0 is Pending" },
    { type: "step", state: "ended", step: "initialise", outcome: "created", ms: 2 },
    {
      ...{ type: "step", state: "ended", step: "unseal", target: "store-0" },
      ...{ outcome: "updated", ms: 0 },
    },
    { type: "step", state: "started", step: "role" },
    {
      ...{ type: "step", state: "ended", step: "role", outcome: "updated" },
      ...{ differs: ["token_ttl"], ms: 2 },
    },
    { type: "warning", message: "STORE_ADDR: the store does not serve there" },
    { type: "step", state: "started", step: "policy" },
    { type: "step", state: "failed", step: "policy", ms: 3 },
    { type: "error", code: "NOT_KEPT", message: "write it: it differs", hint: "run this again" },
    { type: "result", changes: 3 },
  ]);
  expect(err).toBe("");
});
