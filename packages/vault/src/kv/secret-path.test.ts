import { describe, expect, test } from "bun:test";
import { failure } from "../../test/test-server.ts";
import { kvPlaceOf, metadataPathOf, parseSecretPath, withDataSegment } from "./secret-path.ts";

describe("parseSecretPath", () => {
  test.each([
    ["secret/data/app", "secret/data/app"],
    ["/secret/data/app", "secret/data/app"],
    ["secret/data/a b/%2e%2e", "secret/data/a%20b/%252e%252e"],
    ["secret/data/größe", "secret/data/gr%C3%B6%C3%9Fe"],
    ["secret/data/a:b@c&d=e+f", "secret/data/a%3Ab%40c%26d%3De%2Bf"],
    ["secret/data/a?b#c,d*e", "secret/data/a%3Fb%23c%2Cd*e"],
    ["secret/data/...", "secret/data/..."],
  ])("encodes %j as %j", (input, encoded) => {
    expect(parseSecretPath(input).encoded).toBe(encoded);
  });

  test.each([
    "",
    "/",
    "//secret",
    "secret//app",
    "secret/data/",
    "secret/../sys",
    "secret/./app",
    "..",
    "secret/data/a\nb",
    "secret/data/a\0",
    "secret/data/\ud800",
    "secret/data/a\u0085",
  ])("refuses %j", async (input) => {
    const error = await failure(Promise.try(() => parseSecretPath(input)));
    expect(error.code).toBe("INVALID_INPUT");
  });
});

describe("metadataPathOf", () => {
  test.each([
    ["secret/data/app/db", "secret/metadata/app/db"],
    ["team/kv/data/x/y", "team/kv/metadata/x/y"],
    ["secret/data/x/data", "secret/metadata/x/data"],
    // The mount may be team/kv or team/kv/data/x, app or app/data.
    ["team/kv/data/x/data/y", undefined],
    ["app/data/data/x", undefined],
    ["app/data", undefined],
    ["data/data/x", "data/metadata/x"],
    ["database/creds/app", undefined],
  ])("of %j is %j", (input, expected) => {
    expect(metadataPathOf(parseSecretPath(input))?.text).toBe(expected);
  });
});

describe("kvPlaceOf", () => {
  test.each([
    ["secret/data/app/db", { mount: "secret", name: "app/db" }],
    ["/team/kv/data/x", { mount: "team/kv", name: "x" }],
    ["secret/data/x/data", { mount: "secret", name: "x/data" }],
    ["app/data/data/x", undefined],
    ["database/creds/app", undefined],
    ["secret/data/../x", undefined],
    ["secret/data/a\nb", undefined],
    ["/data/x", undefined],
    ["", undefined],
  ])("of %j is %j", (input, expected) => {
    expect(kvPlaceOf(input)).toEqual(expected);
  });
});

describe("withDataSegment", () => {
  test.each([
    ["secret/app/db", "secret/data/app/db"],
    ["secret/metadata/app", "secret/data/app"],
  ])("corrects %j to %j", (input, expected) => {
    expect(withDataSegment(parseSecretPath(input))).toBe(expected);
  });
});
