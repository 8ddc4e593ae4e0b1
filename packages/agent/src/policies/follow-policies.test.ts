import { describe, expect, test } from "bun:test";
import type { CompiledPolicies } from "./compile-policies.ts";
import { PolicyFollower, type PolicyObjects, type PolicyText } from "./follow-policies.ts";
import type { FoundPods } from "./found-pods.ts";
import { PolicyNames } from "./policy-names.ts";
import type { FoundExecutable } from "./read-executable.ts";

const sha256 = "ab".repeat(32);
const textOf = (...policies: readonly object[]): PolicyText => ({
  kind: "text",
  text: JSON.stringify({
    policies: policies.map((policy, index) => ({ name: `n${index}`, reason: "r", ...policy })),
  }),
});
const user = (number: number) => textOf({ who: { users: [number] } });
const file = (changedNs: bigint): FoundExecutable => ({
  kind: "file",
  facts: { inode: 1n, device: 2, size: 3n, changedNs, sha256 },
});

/** A follower whose surroundings are fields. */
function stage(first: PolicyText) {
  const news: (readonly [kind: string, facts: Readonly<Record<string, unknown>>])[] = [];
  const logged: (readonly [level: string, message: string])[] = [];
  const written: CompiledPolicies[] = [];
  const asked: (readonly string[])[] = [];
  const around = {
    text: first,
    objects: { kind: "unknown" } as PolicyObjects,
    pods: new Map() as FoundPods,
    file: file(4n),
    nowMs: 1000,
    failure: undefined as string | undefined,
  };
  const follower = new PolicyFollower({
    path: "/etc/svc/policies.yaml",
    readText: () => around.text,
    readObjects: () => around.objects,
    objectionToFolders: () => undefined,
    readPods: (namespaces) => {
      asked.push([...namespaces]);
      return around.pods;
    },
    readExecutables: (paths) => {
      asked.push([...paths]);
      return new Map([...paths].map((path) => [path, around.file]));
    },
    numberOf: new PolicyNames().numberOf,
    seesMachine: true,
    now: () => ({ nowMs: around.nowMs, bootNs: 5n }),
    write: (compile) => {
      if (around.failure !== undefined) throw new Error(around.failure);
      written.push(compile(0));
    },
    tell: (kind, facts) => news.push([kind, facts]),
    log: (level, message) => logged.push([level, message]),
  });
  const look = (changes: Partial<typeof around> = {}) => {
    Object.assign(around, changes);
    follower.look();
  };
  return { news, logged, written, asked, look, report: () => follower.report() };
}

/** Numbers of the users that a compiled set names. */
function usersOf(compiled: CompiledPolicies | undefined): readonly number[] {
  return [...(compiled?.users.keys() ?? [])].map((key) => Buffer.from(key, "hex").readUInt32LE());
}

describe("PolicyFollower", () => {
  test("writes policies once, and others when the file has others", () => {
    const { news, written, look } = stage(user(1000));
    look();
    look();
    expect(written.map(usersOf)).toEqual([[1000]]);
    look({ text: user(1001) });
    expect(written.map(usersOf)).toEqual([[1000], [1001]]);
    expect(news.map(([kind]) => kind)).toEqual(
      Array.from({ length: 2 }, () => "agent_policies_in_force"),
    );
  });

  test("writes nothing if there is no file, and takes all away when it is deleted", () => {
    const { written, look } = stage({ kind: "absent" });
    look();
    expect(written).toEqual([]);
    look({ text: user(1000) });
    look({ text: { kind: "absent" } });
    expect(written.map(usersOf)).toEqual([[1000], []]);
  });

  test("waits for a file that is being written", () => {
    const { written, look } = stage({ kind: "unsettled" });
    look();
    expect(written).toEqual([]);
    look({ text: user(1000) });
    look({ text: { kind: "unsettled" } });
    expect(written.map(usersOf)).toEqual([[1000]]);
  });

  const bad: readonly (readonly [string, PolicyText, readonly string[]])[] = [
    [
      "says all problems of a text, each with its field",
      textOf({ name: "A", mode: "off" }, { who: { users: ["root"] }, extra: 1 }),
      [
        "policies[0].name: wanted a name such as backup-agent, found ",
        "policies[0].mode: wanted allow or dry-run, found ",
        "policies[0].who: wanted fields executables, units, pods, users, groups, found nothing",
        "policies[1]: wanted no other fields than ",
        "policies[1].who.users[0]: wanted a number of a user or group such as 1000, found ",
      ],
    ],
    [
      "says the line of a text that cannot be parsed",
      { kind: "text", text: "policies:\n  - name: a\n    who: [\n" },
      ["line 3: wanted YAML or JSON, found "],
    ],
    [
      "says why a file cannot be read",
      { kind: "unusable", reason: "read POLICY_FILE (/x): others than its owner may write it" },
      ["read POLICY_FILE (/x): others than its owner may write it"],
    ],
  ];
  for (const [name, text, wanted] of bad) {
    test(`${name}, once, and leaves the policies before in force`, () => {
      const { news, logged, written, look } = stage(user(1000));
      look();
      look({ text });
      look();
      expect(written.map(usersOf)).toEqual([[1000]]);
      expect(news.map(([kind]) => kind)).toEqual([
        ...["agent_policies_in_force", "agent_policies_refused"],
      ]);
      const [, facts] = news[1] ?? [];
      expect(facts).toMatchObject({ file: "/etc/svc/policies.yaml", inForce: ["n0"] });
      const { problems } = facts ?? {};
      expect(problems).toEqual(wanted.map((text) => expect.stringContaining(text)));
      expect(logged.filter(([level]) => level === "error")).toHaveLength(1);
    });
  }

  test("writes again when an executable has changed, and looks only at those that are named", () => {
    const who = { executables: [{ path: "/usr/bin/gdb", sha256 }] };
    const { written, asked, look } = stage(textOf({ who }));
    look();
    expect(written[0]?.executables.size).toBe(1);
    look({ file: file(5n) });
    expect(written).toHaveLength(2);
    look({ file: { kind: "unusable", reason: "it changes" } });
    expect(written[2]?.executables.size).toBe(0);
    look({ text: { kind: "absent" } });
    const files = asked.filter((_, index) => index % 2 === 0);
    expect(files).toEqual([["/usr/bin/gdb"], ["/usr/bin/gdb"], ["/usr/bin/gdb"], []]);
  });

  test("tells when a policy has ended", () => {
    const expires = new Date(3000).toISOString();
    const { news, written, look } = stage(textOf({ expires, who: { users: [1000] } }));
    look();
    look({ nowMs: 2999 });
    expect(written).toHaveLength(1);
    look({ nowMs: 3000 });
    expect(written.map(usersOf)).toEqual([[1000], []]);
    expect(news.at(-1)?.[1]).toMatchObject({ policies: [{ name: "n0", state: "expired" }] });
  });

  test("tries a write that failed again, and says so once", () => {
    const { news, logged, written, look } = stage(user(1000));
    look({ failure: "E2BIG" });
    look();
    expect(logged).toEqual([["error", "policies cannot be written into the kernel"]]);
    expect(news).toEqual([]);
    look({ failure: undefined });
    expect(written.map(usersOf)).toEqual([[1000]]);
  });
});

const objectsOf = (...specs: readonly object[]): PolicyObjects => ({
  kind: "objects",
  objects: specs.map((spec, index) => ({ name: `o${index}`, spec: { reason: "r", ...spec } })),
});

describe("the file and the SvcPolicies are one set", () => {
  test("of which both parts are in force", () => {
    const { news, written, look } = stage(user(1000));
    look();
    look({ objects: objectsOf({ who: { users: [2000] } }) });
    look({ objects: objectsOf() });
    expect(written.map(usersOf)).toEqual([[1000], [1000, 2000], [1000]]);
    const names = news.map(([, { policies }]) => JSON.stringify(policies));
    expect(names[1]).toContain('"svcpolicy/o0"');
    expect(names[2]).not.toContain("svcpolicy");
  });

  test("of which no half is applied: all problems of both are reported, and the set before stays", () => {
    const { news, written, look, report } = stage(user(1000));
    look({ objects: objectsOf({ who: { users: [2000] } }) });
    look({
      text: textOf({ mode: "off", who: { users: [1001] } }),
      objects: objectsOf({ who: { users: [2001] } }, { reason: "", who: { user: [1] } }),
    });
    expect(written.map(usersOf)).toEqual([[1000, 2000]]);
    const problems = [
      expect.stringContaining("policies[0].mode: wanted allow or dry-run"),
      expect.stringContaining("SvcPolicy o1: spec.reason: wanted"),
      expect.stringContaining("SvcPolicy o1: spec.who: wanted no other fields"),
      expect.stringContaining("SvcPolicy o1: spec.who: wanted one of"),
    ];
    expect(report().problems).toEqual(problems);
    expect(news.at(-1)).toEqual([
      "agent_policies_refused",
      {
        file: "/etc/svc/policies.yaml",
        problems: report().problems,
        inForce: ["n0", "svcpolicy/o0"],
      },
    ]);
    expect(report().policies.map(({ name }) => name)).toEqual(["n0", "svcpolicy/o0"]);
    look({ text: user(1001) });
    expect(report().problems).toHaveLength(3);
    look({ objects: objectsOf() });
    expect(report().problems).toEqual([]);
    expect(written.map(usersOf)).toEqual([[1000, 2000], [1001]]);
  });

  test("of at most 32", () => {
    const { news, written, look } = stage(user(1000));
    const many = Array.from({ length: 32 }, () => ({ who: { users: [7] } }));
    look({ objects: objectsOf(...many) });
    expect(written).toEqual([]);
    const problems = [expect.stringContaining("policies: wanted at most 32, found 33")];
    expect(news).toMatchObject([["agent_policies_refused", { problems }]]);
  });

  test("and pods that come and go are written, and reported once", () => {
    const uid = (digit: string) => `${digit.repeat(8)}-0000-0000-0000-000000000000`;
    const podsOf = (...digits: readonly string[]): FoundPods => {
      const pods = digits.map((digit) => ({ uid: uid(digit), labels: { app: "a" } }));
      return new Map([["backup", { kind: "pods", pods }]]);
    };
    const who = { pods: [{ namespace: "backup", matchLabels: { app: "a" } }] };
    const { news, written, asked, look, report } = stage({ kind: "absent" });
    look({ objects: objectsOf({ who }), pods: podsOf() });
    look({ pods: podsOf("1") });
    look();
    look({ pods: podsOf("1", "2") });
    expect(written.map(({ cgroups }) => cgroups.size)).toEqual([0, 4, 8]);
    expect(asked.at(-1)).toEqual(["backup"]);
    expect(news).toHaveLength(1);
    expect(report().policies).toMatchObject([{ name: "svcpolicy/o0", pods: 2 }]);
  });
});
