import { parseDurationBetween } from "./duration-between.ts";
import { parseGoBoolean } from "./go-boolean.ts";
import { parseGoDuration } from "./go-duration.ts";
import { parseIdentifier } from "./identifier.ts";
import { parseList } from "./list.ts";
import { parseOneOf } from "./one-of.ts";
import { parsePlainText } from "./plain-text.ts";
import { testParsers } from "./testdata/parser-table.ts";
import { parseVariableName } from "./variable-name.ts";
import { parseWords } from "./words.ts";

testParsers({
  parseGoBoolean: {
    parse: parseGoBoolean,
    reads: [
      ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
      ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
    ],
    refuses: [["yes"], ["no"], ["on"], ["tRUE"], ["true "], ["2"], ["yess"]],
  },
  parseOneOf: {
    parse: parseOneOf(["restart", "sighup", "none"]),
    reads: [
      ["restart", "restart"],
      ["none", "none"],
    ],
    refuses: [
      ["retsart", "did you mean restart?"],
      ["RESTART", "did you mean restart?"],
      ["sigup", "did you mean sighup?"],
      ["reload"],
      [" none", "did you mean none?"],
      ["toString"],
    ],
  },
  parseIdentifier: {
    parse: parseIdentifier,
    reads: [
      ["DB_PASSWORD", "DB_PASSWORD"],
      ["_1", "_1"],
    ],
    refuses: [["1A"], ["DB-PASSWORD", "write DB_PASSWORD"], ["A\n", "write A_"], [""], ["Ä"]],
  },
  parseVariableName: {
    parse: parseVariableName,
    reads: [
      "DB_PASSWORD",
      "my-key",
      "spring.datasource.password",
      "2FA",
      "$A",
      "a b",
      "größe",
      "🔑",
    ].map((name) => [name, name] as const),
    refuses: [
      [""],
      ["a=b"],
      ["="],
      ["a\n"],
      ["a\u0000"],
      ["a\u007f"],
      ["a\u009b"],
      ["\ud800"],
      ["A*"],
    ],
  },
  parseWords: {
    parse: parseWords,
    reads: [
      ["/bin/app --port 80", ["/bin/app", "--port", "80"]],
      ["  a\t\nb  ", ["a", "b"]],
      ["   ", []],
      ['["sh", "-c", "echo \\"two  spaces\\"", ""]', ["sh", "-c", 'echo "two  spaces"', ""]],
      [' ["a"] ', ["a"]],
      ["[]", []],
      ["a\u00a0b", ["a\u00a0b"]],
    ],
    refuses: [
      ["[a, b]"],
      ['["a", "b"'],
      ["['a']"],
      ["[1, 2]"],
      ['["a", null]'],
      ['"a b"'],
      ['{"a": "b"}'],
      ["[ -f /x ]"],
      ['["a\\u0000b"]'],
      ['["\\ud800"]'],
    ],
  },
  parsePlainText: {
    parse: parsePlainText,
    reads: [["app-rolle ä", "app-rolle ä"]],
    refuses: [["role\n"], [" role"], ["a\u0000b"], ["a\ud800"], [""]],
  },
  parseList: {
    parse: parseList(parseIdentifier),
    reads: [
      ["A", ["A"]],
      [" A ,\n B", ["A", "B"]],
    ],
    refuses: [["A,"], [",A"], ["A,,B"], ["A,B-C", "write B_C"]],
  },
  parseDurationBetween: {
    parse: parseDurationBetween({ least: "1ms" }),
    reads: [
      ["1ms", 1],
      ["30s", 30_000],
      ["596h31m23.647s", 2_147_483_647],
    ],
    refuses: [["0"], ["0.9ms"], ["596h31m23.648s"], ["30", "a number needs a unit: 30s"], ["-30s"]],
  },
  parseGoDuration: {
    parse: parseGoDuration,
    reads: [
      ["168h", 604_800_000],
      ["1h30m", 5_400_000],
    ],
    refuses: [
      ["7d", "the longest unit is an hour: 168h"],
      ["2w", "the longest unit is an hour: 336h"],
      ["1d12h"],
      ["d"],
    ],
  },
});
