import { describe, expect, test } from "bun:test";
import { parseAuthChallenges } from "./auth-challenge.ts";

const rows: readonly [header: string | null, expected: readonly (readonly [string, object])[]][] = [
  [null, []],
  ["", []],
  ["Basic", [["basic", {}]]],
  ['Basic realm="lab"', [["basic", { realm: "lab" }]]],
  ["BASIC REALM=lab", [["basic", { realm: "lab" }]]],
  [
    'Bearer realm="https://t.test/token",service="s",scope="repository:a/b:pull,push"',
    [
      [
        "bearer",
        { realm: "https://t.test/token", service: "s", scope: "repository:a/b:pull,push" },
      ],
    ],
  ],
  [
    'Bearer realm = "a b" , service="x\\"y\\\\z"',
    [["bearer", { realm: "a b", service: 'x"y\\z' }]],
  ],
  [
    'Negotiate, Basic realm="x", Bearer realm="y"',
    [
      ["negotiate", {}],
      ["basic", { realm: "x" }],
      ["bearer", { realm: "y" }],
    ],
  ],
  [
    'Negotiate abc==, Bearer realm="y"',
    [
      ["negotiate", {}],
      ["bearer", { realm: "y" }],
    ],
  ],
  [', ,Basic realm="x",,', [["basic", { realm: "x" }]]],
  ['Bearer realm="first",realm="second"', [["bearer", { realm: "first" }]]],
  ['Bearer realm="open', [["bearer", {}]]],
  ['realm="x"', []],
  // Unquoted URLs and scopes.
  [
    "Bearer realm=https://t.test:8443/token?a=b,service=s,scope=repository:a/b:pull,push",
    [
      [
        "bearer",
        {
          realm: "https://t.test:8443/token?a=b",
          service: "s",
          scope: "repository:a/b:pull,push",
        },
      ],
    ],
  ],
  [
    "Bearer scope=repository:a:pull,push,service=s",
    [["bearer", { scope: "repository:a:pull,push", service: "s" }]],
  ],
  [
    "Bearer realm=https://t.test/token, Basic realm=harbor",
    [
      ["bearer", { realm: "https://t.test/token" }],
      ["basic", { realm: "harbor" }],
    ],
  ],
  // Fetch joins several headers by commas.
  [
    'Basic realm="x", bearer realm="y",service="s", Negotiate',
    [
      ["basic", { realm: "x" }],
      ["bearer", { realm: "y", service: "s" }],
      ["negotiate", {}],
    ],
  ],
  // A part that cannot be read does not hide the next one.
  [
    'Digest @=1, Bearer realm="y"',
    [
      ["digest", {}],
      ["bearer", { realm: "y" }],
    ],
  ],
  ['Bearer realm="y" service="s"', [["bearer", { realm: "y", service: "s" }]]],
  ["\u0000", []],
  ['Bearer __proto__="x"', [["bearer", { ["__proto__"]: "x" }]]],
  [`Basic realm="${"x".repeat(9000)}"`, []],
];

describe("a WWW-Authenticate header", () => {
  for (const [header, expected] of rows) {
    test(`${JSON.stringify(header)?.slice(0, 70)} offers ${expected.length}`, () => {
      const found = parseAuthChallenges(header).map(({ scheme, parameters }) => [
        scheme,
        Object.entries(parameters),
      ]);
      expect(found).toEqual(expected.map(([scheme, fields]) => [scheme, Object.entries(fields)]));
    });
  }
  test("of many odd characters is read in no time", () => {
    const began = performance.now();
    for (const text of [
      'a="\\'.repeat(2000),
      "a ".repeat(4000),
      "a=".repeat(4000),
      '"'.repeat(8000),
    ]) {
      parseAuthChallenges(`Bearer ${text}`.slice(0, 8192));
    }
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
