import { describe, expect, test } from "bun:test";
import { entriesOf } from "../testdata/entries.ts";
import { readQuestion } from "./read-question.ts";

describe("the question of --once-ready", () => {
  test("is at the address of the wrapper's health server, the first of several", () => {
    const environment = entriesOf("PATH=/bin", "HEALTH_ADDR=:9000", "HEALTH_ADDR=:9001");
    const value = { host: "127.0.0.1", port: 9000, isTls: false };
    expect(readQuestion(environment)).toEqual({ ok: true, value });
  });

  test("goes over TLS if the wrapper has a certificate", () => {
    const environment = entriesOf("SVC_BROKER_TLS_CERT=/c", "SVC_BROKER_TLS_KEY=/k");
    const value = { host: "127.0.0.1", port: 8199, isTls: true };
    expect(readQuestion(environment)).toEqual({ ok: true, value });
  });

  test.each([
    ["a port that is a word", "HEALTH_ADDR=:high", /^HEALTH_ADDR: must be .*got ":high"$/],
    ["no server", "HEALTH_ADDR=off", /^HEALTH_ADDR: must be .*: it is off$/],
    ["port 0", "HEALTH_ADDR=:0", /^HEALTH_ADDR: must be .*: port 0, which only the log tells$/],
    [
      "bytes beyond UTF-8",
      "SVC_BROKER_TLS_KEY=\xff",
      /^SVC_BROKER_TLS_KEY: must be UTF-8 text: other bytes$/,
    ],
  ])("is refused with %s", (_, entry, message) => {
    expect(readQuestion(entriesOf(entry))).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  test("does not look at the bytes of other variables", () => {
    expect(readQuestion(entriesOf("APP=\xff")).ok).toBe(true);
  });
});
