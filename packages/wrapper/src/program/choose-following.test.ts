import { describe, expect, test } from "bun:test";
import { notifyTerms, type Privileges } from "./choose-following.ts";

const user: Privileges = {
  isRoot: false,
  noNewPrivileges: false,
  sysAdmin: false,
  sysPtrace: false,
  mayChangeUser: false,
  hasAll: false,
};
const containerRoot: Privileges = { ...user, isRoot: true, mayChangeUser: true, hasAll: true };
const needsIt = "no_new_privs is not set; SVC_FOLLOW=notify sets it";

describe("the terms on which each execve is announced", () => {
  const rows: readonly (readonly [
    name: string,
    setting: Parameters<typeof notifyTerms>[0],
    privileges: Privileges,
    terms: ReturnType<typeof notifyTerms>,
  ])[] = [
    ["a restricted pod", "auto", { ...user, noNewPrivileges: true }, { kind: "free" }],
    ["a container's root", "auto", containerRoot, { kind: "no_new_privs" }],
    [
      "root with every capability",
      "auto",
      { ...containerRoot, sysAdmin: true, sysPtrace: true },
      { kind: "free" },
    ],
    [
      "root that may not trace other users",
      "auto",
      { ...containerRoot, sysAdmin: true },
      { kind: "no_new_privs" },
    ],
    [
      "root that a file could give more",
      "auto",
      { ...containerRoot, hasAll: false },
      { kind: "impossible", reason: needsIt },
    ],
    ["a user", "auto", user, { kind: "impossible", reason: needsIt }],
    ["a user who asks for it", "notify", user, { kind: "no_new_privs" }],
    [
      "a user who asks for tracing",
      "trace",
      user,
      { kind: "impossible", reason: "SVC_FOLLOW is trace" },
    ],
  ];
  for (const [name, setting, privileges, terms] of rows) {
    test(`for ${name} are ${terms.kind}`, () => {
      expect(notifyTerms(setting, privileges)).toEqual(terms);
    });
  }
});
