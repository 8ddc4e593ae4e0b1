import { describe, expect, test } from "bun:test";
import type { LogFields, Logger } from "../log.ts";
import type { MeasuredFacts } from "./protection-facts.ts";
import { type PresentFacts, ProtectionMeter } from "./protection-meter.ts";

const measured: MeasuredFacts = {
  delivery: "inject",
  values: { kind: "region", memory: "memfd_secret", locked: true, dumped: false },
  courierLocked: true,
  environ: { kind: "clean" },
  dumpable: { kind: "no" },
  token: { kind: "protected" },
  cpu: { kind: "mitigated" },
};
const enforcing = { kind: "connected", tier: "enforce", registered: true } as const;
const detecting = { kind: "connected", tier: "detect", registered: true } as const;

/** A meter whose facts change, and its lines. */
function stage(facts: Partial<MeasuredFacts> = {}) {
  const lines: (readonly [level: string, message: string, fields: LogFields | undefined])[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields]);
  const log: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  let present: PresentFacts = { agent: enforcing, unprotected: 0 };
  const meterAfter = (before?: ProtectionMeter) =>
    new ProtectionMeter(log, { ...measured, ...facts }, () => present, before);
  const change = (next: Partial<PresentFacts>) => {
    present = { ...present, ...next };
  };
  return { lines, meter: meterAfter(), meterAfter, change };
}

describe("the protection score", () => {
  test("is said in full without anything missing", () => {
    const { lines, meter } = stage();
    meter.say();
    expect(lines).toEqual([["info", "protection score 100 of 100", { score: 100 }]]);
  });

  test("is said again only if it has changed, and a lower one as a warning with its parts", () => {
    const { lines, meter, change } = stage();
    meter.say();
    meter.say();
    change({ agent: detecting });
    meter.say();
    meter.say();
    change({ agent: enforcing });
    meter.say();
    const { score } = meter.result;
    expect(lines.map(([level, message]) => [level, message])).toEqual([
      ["info", "protection score 100 of 100"],
      ["warn", "protection score 85 of 100"],
      ["debug", "missing points of the score"],
      ["info", `protection score ${score} of 100`],
    ]);
    expect(lines[1]?.[2]).toEqual({ score: 85, missing: "enforcement" });
    expect(lines[2]?.[2]?.["details"]).toStartWith("enforcement: ");
  });

  test("is not said again for the next program with the same one", () => {
    const { lines, meter, meterAfter } = stage();
    meter.say();
    meterAfter(meter).say();
    expect(lines).toHaveLength(1);
    meterAfter().say();
    expect(lines).toHaveLength(2);
  });

  test("falls with programs that were started and have plain values", () => {
    const { meter, change } = stage();
    const { score } = meter.result;
    change({ unprotected: 2 });
    expect(meter.result.score).toBeLessThan(score);
  });

  test("counts the program's own values before those of others", () => {
    const { lines, meter, change } = stage({ environ: { kind: "values", variables: 3 } });
    change({ unprotected: 2 });
    meter.say();
    const details = lines.find(([level]) => level === "debug")?.[2]?.["details"];
    expect(details).toContain("environ: variables with values: 3");
  });
});
