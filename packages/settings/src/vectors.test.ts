import { describe, expect, test } from "bun:test";
import durations from "../../../formats/vectors/duration/cases.json";
import envMaps from "../../../formats/vectors/env-map/cases.json";
import { parseEnvMap } from "./env-map.ts";
import { goDurationNs, parseGoDuration } from "./go-duration.ts";

interface Case {
  readonly name: string;
  readonly input: string;
  readonly expect?: unknown;
  readonly error?: string;
}

describe("duration vectors", () => {
  const cases: readonly Case[] = durations.cases;
  for (const { name, input, expect: ns } of cases) {
    if (ns === undefined) {
      test(`refuses ${name}`, () => {
        expect(goDurationNs(input)).toBeUndefined();
        expect(parseGoDuration(input)).toMatchObject({ ok: false });
      });
    } else {
      test(`reads ${name}`, () => {
        expect(String(goDurationNs(input))).toBe(String(ns));
        expect(parseGoDuration(input)).toEqual({ ok: true, value: Number(ns) / 1e6 });
      });
    }
  }
});

describe("environment map vectors", () => {
  const cases: readonly Case[] = envMaps.cases;
  for (const { name, input, expect: groups } of cases) {
    if (groups === undefined) {
      test(`refuses ${name}`, () => {
        expect(parseEnvMap(input)).toMatchObject({ ok: false });
      });
    } else {
      test(`reads ${name}`, () => {
        expect<unknown>(parseEnvMap(input)).toEqual({ ok: true, value: groups });
      });
    }
  }
});

describe("vector files", () => {
  for (const file of [durations, envMaps]) {
    const cases: readonly Case[] = file.cases;
    test(`of the format "${file.format}" name each case once and give one outcome`, () => {
      expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
      for (const { expect: value, error } of cases) {
        expect([value, error].filter((outcome) => outcome !== undefined)).toHaveLength(1);
      }
    });
  }
});
