import { describe, expect, test } from "bun:test";
import { reasonIn } from "./ready-answer.ts";

describe("the reason in an answer", () => {
  const cases: Readonly<Record<string, readonly [body: string, reason: string]>> = {
    "of a program that runs": ['{"status":"ready"}', "ready"],
    "that says why it waits": [
      '{"status":"starting","reason":"the vault is down"}',
      "starting: the vault is down",
    ],
    "that gives no reason": ['{"status":"sealed"}', "sealed"],
    "without a body": ["", ""],
    "with a body that is not JSON": ["<html>", ""],
    "with JSON that is not an object": ["null", ""],
    "with members of other types": ['{"status":1,"reason":{}}', ""],
    "with letters that move the cursor": ['{"reason":"a\\u001b[2J\\nb\\u202ec"}', "a?[2J?b?c"],
    "with a reason without an end": [`{"reason":"${"x".repeat(999)}"}`, "x".repeat(200)],
  };
  for (const [name, [body, reason]] of Object.entries(cases)) {
    test(name, () => expect(reasonIn(body)).toBe(reason));
  }
});
