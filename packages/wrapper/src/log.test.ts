import { describe, expect, test } from "bun:test";
import { createLogger, type LogFields, type LogFormat, type LogLevel } from "./log.ts";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("createLogger", () => {
  const rows: readonly (readonly [
    name: string,
    format: LogFormat,
    message: string,
    fields: LogFields,
    line: string,
  ])[] = [
    [
      "writes JSON with time, level and component",
      "json",
      "started",
      {},
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","component":"courier","message":"started"}',
    ],
    [
      "adds fields, without those that are undefined",
      "json",
      "m",
      { count: 2, ok: true, name: 'a"b', none: undefined },
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","component":"courier","message":"m","count":2,"ok":true,"name":"a\\"b"}',
    ],
    ["writes text for people", "text", "started", {}, "svc: warn: started"],
    [
      "writes fields behind the text, strings quoted",
      "text",
      "m",
      { count: 2, ok: true, name: "a b", none: undefined },
      'svc: warn: m count=2 ok=true name="a b"',
    ],
    [
      "keeps a text on one line",
      "text",
      "a\nsvc: error: forged\r\u001b[31m\u2028b",
      { name: "a\nb" },
      'svc: warn: a svc: error: forged  [31m b name="a b"',
    ],
    [
      "keeps JSON on one line",
      "json",
      "a\nb",
      {},
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","component":"courier","message":"a b"}',
    ],
    [
      "shows no text in another direction than it was written in",
      "json",
      "\u202etxet\u202c \u2066x\u2069",
      { name: "\u200fa" },
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","component":"courier","message":" txet   x ","name":" a"}',
    ],
  ];
  for (const [name, format, message, fields, line] of rows) {
    test(name, () => {
      expect(linesOf("debug", format, (log) => log.warn(message, fields))).toEqual([line]);
    });
  }

  for (const [index, level] of levels.entries()) {
    test(`writes from ${level} upwards if the level is ${level}`, () => {
      const lines = linesOf(level, "text", (log) => {
        for (const each of levels) log[each]("m");
      });
      expect(lines).toEqual(levels.slice(index).map((each) => `svc: ${each}: m`));
    });
  }
});

function linesOf(
  level: LogLevel,
  format: LogFormat,
  use: (log: ReturnType<typeof createLogger>) => void,
): readonly string[] {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  use(createLogger({ level, format, component: "courier", write, now: () => new Date(0) }));
  return lines;
}
