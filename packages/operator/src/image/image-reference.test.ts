import { describe, expect, test } from "bun:test";
import type { DefaultRegistry } from "./default-registry.ts";
import { ImageError } from "./image-error.ts";
import { formatReference, parseImageReference } from "./image-reference.ts";

const byDefault: DefaultRegistry = {
  name: "hub.test",
  aliases: ["index.hub.test"],
  server: "registry.hub.test",
  namespace: "library",
};
const hex = "0123456789abcdef".repeat(4);
const digest = `sha256:${hex}`;

const accepted: Readonly<Record<string, string>> = {
  nginx: "hub.test/library/nginx:latest",
  "nginx:1.29": "hub.test/library/nginx:1.29",
  "team/app": "hub.test/team/app:latest",
  "hub.test/nginx": "hub.test/library/nginx:latest",
  "index.hub.test/team/app:2": "hub.test/team/app:2",
  "registry.test/app": "registry.test/app:latest",
  "registry.test:5000/team/app:v1": "registry.test:5000/team/app:v1",
  "localhost/app": "localhost/app:latest",
  "localhost:5000/app": "localhost:5000/app:latest",
  "127.0.0.1:5000/app": "127.0.0.1:5000/app:latest",
  "[::1]:5000/app:x": "[::1]:5000/app:x",
  "[2001:db8::1]/a/b": "[2001:db8::1]/a/b:latest",
  "Registry.Test/app": "Registry.Test/app:latest",
  [`app@${digest}`]: `hub.test/library/app@${digest}`,
  [`registry.test/app:1@${digest}`]: `registry.test/app:1@${digest}`,
  [`registry.test/app@sha512:${hex}${hex}`]: `registry.test/app@sha512:${hex}${hex}`,
  "registry.test/a__b/c--d/e.f_g": "registry.test/a__b/c--d/e.f_g:latest",
  "registry.test/app:V_1.2-x": "registry.test/app:V_1.2-x",
};

const refused: Readonly<Record<string, string>> = {
  "": "it has no name",
  Nginx: "upper case",
  "registry.test/App": "upper case",
  "registry.test/": "no name",
  "/app": "characters",
  "registry.test//app": "characters",
  "registry.test/app/": "characters",
  "registry.test/../app": "characters",
  "registry.test/a b": "characters",
  "registry.test/app:": "its tag",
  "registry.test/app:-x": "its tag",
  [`registry.test/app:${"x".repeat(129)}`]: "its tag",
  "registry.test/app@": "its digest",
  "registry.test/app@sha256:abc": "its digest",
  "registry.test/app@md5:0123456789abcdef0123456789abcdef": "its digest",
  [`registry.test/app@${digest}@${digest}`]: "its digest",
  [`registry.test/app@${digest.toUpperCase()}`]: "its digest",
  "registry.test:port/app": "its registry",
  "registry.test:70000/app": "its registry",
  "user@registry.test/app": "its digest",
  "user:password@registry.test/app": "characters|digest|registry|tag",
  "-registry.test/app": "its registry",
  "registry..test/app": "its registry",
  "[zz]/app": "its registry",
  "[:::1::]/app": "its registry",
  "https://registry.test/app": "its registry",
  "registry.test/app?x=1": "characters",
  "registry.test/app#x": "characters",
  "registry.test/app%2f": "characters",
  "registry.test/äpp": "characters",
  [`registry.test/${"a".repeat(250)}`]: "255 characters",
  [hex]: "an id",
};

describe("a reference", () => {
  for (const [text, expected] of Object.entries(accepted)) {
    test(`${text} is ${expected}`, () => {
      expect(formatReference(parseImageReference(text, byDefault))).toBe(expected);
    });
  }
  for (const [text, expected] of Object.entries(refused)) {
    test(`${JSON.stringify(text.slice(0, 60))} is refused: ${expected}`, () => {
      const error = failureOf(() => parseImageReference(text, byDefault));
      expect(error.code).toBe("REFERENCE_INVALID");
      expect(error.message).toMatch(new RegExp(expected));
    });
  }
  // normalize_test.go of github.com/distribution/reference.
  const onHub: Readonly<Record<string, string>> = {
    nginx: "docker.io/library/nginx:latest",
    "team/app:1": "docker.io/team/app:1",
    "library/nginx": "docker.io/library/nginx:latest",
    "docker.io/nginx": "docker.io/library/nginx:latest",
    "docker.io/team/app": "docker.io/team/app:latest",
    "index.docker.io/nginx": "docker.io/library/nginx:latest",
    "index.docker.io/team/app": "docker.io/team/app:latest",
    "registry-1.docker.io/nginx": "registry-1.docker.io/nginx:latest",
  };
  for (const [text, expected] of Object.entries(onHub)) {
    test(`${text} is ${expected} by default`, () => {
      expect(formatReference(parseImageReference(text))).toBe(expected);
    });
  }
  test("of Docker Hub means the same with another default", () => {
    for (const text of ["docker.io/nginx", "index.docker.io/nginx"]) {
      expect(formatReference(parseImageReference(text, byDefault))).toBe(onHub["nginx"] ?? "");
    }
  });
});

describe("any text", () => {
  test("is refused in words, or is the same when it is written out and read again", () => {
    for (let round = 0; round < 20_000; round++) {
      const text = randomText();
      const reference = outcomeOf(text);
      if (reference === undefined) continue;
      expect(parseImageReference(formatReference(reference), byDefault)).toEqual(reference);
      // It becomes part of a URL: nothing of it may be read as something else there.
      const url = new URL(`https://${reference.registry}/v2/${reference.repository}/manifests/x`);
      expect([url.pathname, url.search, url.hash, url.username]).toEqual([
        `/v2/${reference.repository}/manifests/x`,
        "",
        "",
        "",
      ]);
    }
  });
});

const pieces = [
  "a",
  "B",
  "0",
  ".",
  "-",
  "_",
  "/",
  ":",
  "@",
  "[",
  "]",
  "::1",
  "..",
  "%",
  "\\",
  " ",
  "é",
];
const longPieces = ["registry.test", "localhost", ":5000", digest, "library", "latest"];

function randomText(): string {
  const all = [...pieces, ...longPieces];
  const length = 1 + Math.floor(Math.random() * 8);
  return Array.from({ length }, () => all[Math.floor(Math.random() * all.length)]).join("");
}

function outcomeOf(text: string) {
  try {
    return parseImageReference(text, byDefault);
  } catch (error) {
    if (error instanceof ImageError && error.code === "REFERENCE_INVALID") return undefined;
    throw error;
  }
}

function failureOf(act: () => unknown): ImageError {
  try {
    act();
  } catch (error) {
    if (error instanceof ImageError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}
