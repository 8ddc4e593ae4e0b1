import { describe, expect, test } from "bun:test";
import { parsePolicies } from "./parse-policies.ts";
import { attemptsOnPrograms } from "./policy.ts";

const base = { name: "backup", reason: "nightly", who: { users: [1000] } };
const parse = (...policies: readonly unknown[]) => parsePolicies(JSON.stringify({ policies }));

test("reads YAML, and fills in defaults", () => {
  const text = `
policies:
  - name: on-call-gdb
    reason: incident 12
    mode: dry-run
    expires: 2027-01-31T18:00:00Z
    attempts: [ptrace]
    who:
      executables: [{ path: /usr/bin/gdb, sha256: ${"ab".repeat(32)} }]
      groups: [4000]
  - { name: backup, reason: nightly, who: { units: [backup.service] } }
  - name: pods
    reason: nightly
    who:
      pods: [{ namespace: velero, matchLabels: { app.kubernetes.io/name: velero } }, { namespace: b }]
`;
  const none = { executables: [], units: [], pods: [], users: [], groups: [] };
  expect(parsePolicies(text)).toEqual({
    ok: true,
    policies: [
      {
        ...{ ...none, name: "on-call-gdb", reason: "incident 12", mode: "dry-run" },
        ...{ expiresMs: Date.UTC(2027, 0, 31, 18), attempts: ["ptrace"], groups: [4000] },
        executables: [{ path: "/usr/bin/gdb", sha256: "ab".repeat(32) }],
      },
      {
        ...{ ...none, name: "backup", reason: "nightly", mode: "allow" },
        ...{ attempts: attemptsOnPrograms, units: ["backup.service"] },
      },
      {
        ...{ ...none, name: "pods", reason: "nightly", mode: "allow" },
        attempts: attemptsOnPrograms,
        pods: [
          { namespace: "velero", matchLabels: { "app.kubernetes.io/name": "velero" } },
          { namespace: "b", matchLabels: {} },
        ],
      },
    ],
  });
});

describe("refuses", () => {
  const rows: readonly (readonly [name: string, policy: unknown, place: string])[] = [
    ["no object", 7, "policies[0]"],
    ["an unknown field", { ...base, until: "x" }, "policies[0]"],
    ["a name with a blank", { ...base, name: "a b" }, "policies[0].name"],
    ["no reason", { ...base, reason: " " }, "policies[0].reason"],
    ["an unknown mode", { ...base, mode: "off" }, "policies[0].mode"],
    ["a day without a time", { ...base, expires: "2027-01-31" }, "policies[0].expires"],
    [
      "a day that does not exist",
      { ...base, expires: "2027-13-31T00:00:00Z" },
      "policies[0].expires",
    ],
    ["no attempts", { ...base, attempts: [] }, "policies[0].attempts"],
    ["tampering", { ...base, attempts: ["agent_tampering"] }, "policies[0].attempts[0]"],
    ["nobody named", { ...base, who: {} }, "policies[0].who"],
    ["an empty list", { ...base, who: { users: [] } }, "policies[0].who.users"],
    ["a user's name", { ...base, who: { users: ["root"] } }, "policies[0].who.users[0]"],
    ["nobody's number", { ...base, who: { groups: [2 ** 32 - 1] } }, "policies[0].who.groups[0]"],
    [
      "a pod without a namespace",
      { ...base, who: { pods: [{}] } },
      "policies[0].who.pods[0].namespace",
    ],
    [
      "no labels",
      { ...base, who: { pods: [{ namespace: "a", matchLabels: {} }] } },
      "policies[0].who.pods[0].matchLabels",
    ],
    [
      "a label that is a number",
      { ...base, who: { pods: [{ namespace: "a", matchLabels: { a: 1 } }] } },
      "policies[0].who.pods[0].matchLabels.a",
    ],
    [
      "a misspelt field of a pod",
      { ...base, who: { pods: [{ namespace: "a", matchLabel: { a: "b" } }] } },
      "policies[0].who.pods[0]",
    ],
    [
      "pods and units",
      { ...base, who: { pods: [{ namespace: "a" }], units: ["a.service"] } },
      "policies[0].who",
    ],
    ["a slice", { ...base, who: { units: ["a.slice"] } }, "policies[0].who.units[0]"],
    [
      "a unit's name without end",
      { ...base, who: { units: [`${"a".repeat(87)}.service`] } },
      "policies[0].who.units[0]",
    ],
    [
      "a short digest",
      { ...base, who: { executables: [{ path: "/x", sha256: "ab" }] } },
      "policies[0].who.executables[0].sha256",
    ],
  ];
  for (const [name, policy, place] of rows) {
    test(name, () => {
      const parsed = parse(policy);
      expect(parsed.ok ? [] : parsed.problems.map((text) => text.split(": ")[0])).toEqual([place]);
    });
  }

  test("a name that comes twice, and more policies than there are bits for", () => {
    expect(parse(base, base).ok).toBe(false);
    const many = Array.from({ length: 33 }, (_, index) => ({ ...base, name: `n${index}` }));
    expect(parse(...many).ok).toBe(false);
    expect(parse(...many.slice(1)).ok).toBe(true);
  });

  for (const text of ["", "policies", "[]", "{ a: ", "{}"]) {
    test(`the text ${JSON.stringify(text)}`, () => expect(parsePolicies(text).ok).toBe(false));
  }
});

test("says all problems at once", () => {
  const parsed = parse({ name: "A", mode: "off" }, { ...base, expires: 7 });
  expect(parsed.ok ? [] : parsed.problems).toHaveLength(5);
});
