import { describe, expect, test } from "bun:test";
import { parseYaml } from "./parse-yaml.ts";

const keys = ["policies", "name", "who", "users", "groups"];
const problemsOf = (text: string) => {
  const parsed = parseYaml(text, keys);
  return parsed.ok ? [] : parsed.problems.map((problem) => problem.split(", found")[0]);
};

describe("parseYaml", () => {
  const good: readonly (readonly [string, string, unknown])[] = [
    ["YAML", "policies:\n  - name: a\n", { policies: [{ name: "a" }] }],
    ["JSON", '{"policies": [{"name": "a"}]}', { policies: [{ name: "a" }] }],
    [
      "a value that reads like a key",
      'name: "who: users: groups:"',
      { name: "who: users: groups:" },
    ],
    ["a value with its own mark", "name: who__1", { name: "who__1" }],
    [
      "the same key in different places",
      "[{ name: a }, { name: a }]",
      [{ name: "a" }, { name: "a" }],
    ],
    ["lines of text", "name: |\n  who: a\n  who: b\n", { name: "who: a\nwho: b\n" }],
    ["a path that reads like a key", "name: /opt/who:1/users", { name: "/opt/who:1/users" }],
  ];
  for (const [name, text, value] of good) {
    test(`reads ${name}`, () => expect(parseYaml(text, keys)).toEqual({ ok: true, value }));
  }

  const bad: readonly (readonly [string, string, string])[] = [
    [
      "a list without an end",
      "policies:\n  - name: a\n    who: [\n\n",
      "line 3: wanted YAML or JSON",
    ],
    ["a wrong indent", "policies:\n  - name: a\n   who: b\n", "line 3: wanted YAML or JSON"],
    ["a tab", "policies:\n\t- name: a\n", "line 2: wanted YAML or JSON"],
    ["garbage at the end", "policies: []\ngarbage here\n", "line 2: wanted YAML or JSON"],
  ];
  for (const [name, text, problem] of bad) {
    test(`names the line of ${name}`, () => expect(problemsOf(text)).toEqual([problem]));
  }

  const once = "policies[0].who.groups: wanted once";
  const plain = "policies[0].who.groups: wanted a key that is a plain word";
  const twice: readonly (readonly [string, string, string])[] = [
    [
      "in blocks",
      "policies:\n  - who:\n      groups: [1]\n      users: [0]\n      groups: [2]\n",
      once,
    ],
    ["in braces", "policies: [{ who: { groups: [1], groups: [2] } }]", once],
    ["in JSON", '{"policies":[{"who":{"groups":[1],"groups":[2]}}]}', once],
    ["with blanks", "policies: [{ who: { groups : [1], 'groups': [2] } }]", once],
    ["by merging", "policies:\n  - who:\n      <<: { groups: [1] }\n      groups: [2]\n", once],
    ["by an escape", '{"policies":[{"who":{"groups":[1],"gr\\u006fups":[2]}}]}', once],
    ["by an escape only", '{"policies":[{"who":{"gr\\u006fups":[2]}}]}', plain],
    [
      "behind a question mark",
      "policies:\n  - who:\n      ? groups\n      : [1]\n      groups: [2]\n",
      once,
    ],
    ["behind a comment", "policies:\n  - who:\n      ? groups # x\n      : [2]\n", plain],
  ];
  for (const [name, text, problem] of twice) {
    test(`refuses a key that comes twice, ${name}`, () =>
      expect(problemsOf(text)).toEqual([problem]));
  }
});
