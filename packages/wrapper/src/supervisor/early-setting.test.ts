import { expect, test } from "bun:test";
import { entriesOf } from "../testdata/entries.ts";
import { earlySetting } from "./early-setting.ts";

const name = { flag: "--log-format", variable: "SVC_LOG_FORMAT" };
const json = ["SVC_LOG_FORMAT=json"];

test.each([
  ["is not given", [], [], undefined],
  ["is the variable", [], json, "json"],
  ["is not an empty variable", [], ["SVC_LOG_FORMAT="], undefined],
  ["is not another variable", [], ["SVC_LOG_LEVEL=debug"], undefined],
  ["is the flag's value", ["--log-format=text"], [], "text"],
  ["is the word behind the flag", ["--a", "--log-format", "text"], [], "text"],
  ["is the flag's before the variable's", ["--log-format=text"], json, "text"],
  ["is the first of two flags'", ["--log-format=text", "--log-format=json"], [], "text"],
  ["is the variable's if the flag has none", ["--log-format="], json, "json"],
  ["is the variable's if no word follows the flag", ["--log-format"], json, "json"],
  ["is not that of a longer flag", ["--log-formats=text"], [], undefined],
] as const)("an early setting %s", (_, flags, variables, text) => {
  expect(earlySetting({ flags, environment: entriesOf(...variables) }, name)).toBe(text);
});
