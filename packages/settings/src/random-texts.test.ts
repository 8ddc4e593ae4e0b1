import { describe, test } from "bun:test";
import { parseDurationBetween } from "./duration-between.ts";
import { parseEnvMap } from "./env-map.ts";
import { parseFilePath } from "./file-path.ts";
import { parseGoBoolean } from "./go-boolean.ts";
import { parseIdentifier } from "./identifier.ts";
import { parseIpAddress } from "./ip-address.ts";
import { parseKvPath } from "./kv-path.ts";
import { parseList } from "./list.ts";
import { parseListenAddress } from "./listen-address.ts";
import { parseOneOf } from "./one-of.ts";
import type { Parser } from "./parsed.ts";
import { parsePlainText } from "./plain-text.ts";
import { parseServerUrl } from "./server-url.ts";
import { parseStopSignal } from "./signals.ts";
import { parseSocketAddress } from "./socket-address.ts";
import { parseVariableName } from "./variable-name.ts";
import { parseWords } from "./words.ts";

const parsers: Readonly<Record<string, Parser<unknown>>> = {
  parseDurationBetween: parseDurationBetween({ least: "1ms" }),
  parseEnvMap,
  parseFilePath,
  parseGoBoolean,
  parseIdentifier,
  parseIpAddress,
  parseKvPath,
  parseList: parseList(parseKvPath),
  parseListenAddress,
  parseOneOf: parseOneOf(["restart", "none"]),
  parsePlainText,
  parseServerUrl,
  parseSocketAddress,
  parseStopSignal,
  parseVariableName,
  parseWords,
};

describe("parsers fed with random texts", () => {
  const pieces = [
    ..."aZ_0159.:;,=*#/[]{}\"'\\ \t\n\0+-%@?ä🔑\ud800",
    "data",
    "unix://",
    "https://",
  ];
  const units = ["ns", "µs", "h", "9223372036854775807", "true", "::1", "/data/", "*=", "\u0000"];
  const random = sequence(20_251_121);

  function text(): string {
    const length = Math.floor(random() * 12);
    const all = [...pieces, ...units];
    return Array.from({ length }, () => all[Math.floor(random() * all.length)]).join("");
  }

  for (const [name, parse] of Object.entries(parsers)) {
    test(`${name} never throws and names the wanted value`, () => {
      for (let round = 0; round < 2_000; round += 1) {
        const input = text();
        const parsed = parse(input);
        if (!parsed.ok && parsed.wanted === "") throw new Error(`no reason for ${input}`);
      }
    });
  }
});

/** A repeatable sequence of numbers from 0 to 1 (mulberry32), so that a failure can be repeated. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
