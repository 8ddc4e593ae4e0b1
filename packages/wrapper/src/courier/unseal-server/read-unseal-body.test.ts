import { describe, expect, test } from "bun:test";
import { secretBytesFrom } from "@svc/secret-bytes";
import { closed } from "../../testdata/outcomes.ts";
import { MAX_TOKEN_CHARACTERS, readUnsealBody } from "./read-unseal-body.ts";

const secret = "svc-canary-of-a-token";

describe("readUnsealBody", () => {
  const taken: readonly (readonly [name: string, body: string, token: string])[] = [
    ["a token", `{"token":"${secret}"}`, secret],
    ["blanks around it", ` { "token" : "${secret}" }\r\n`, secret],
    ["a token of one character", '{"token":"s"}', "s"],
    ["the longest token", `{"token":"${"t".repeat(MAX_TOKEN_CHARACTERS)}"}`, "t".repeat(4096)],
    ["escapes", '{"token":"\\u0073.abc"}', "s.abc"],
  ];
  for (const [name, body, token] of taken) {
    test(`takes ${name}`, () => {
      const read = readUnsealBody(closed(body));
      expect(read.kind).toBe("token");
      if (read.kind !== "token") return;
      expect(read.token.bytes.open([])).toBe(token);
    });
  }

  const refused: readonly (readonly [name: string, body: string, problems: readonly string[]])[] = [
    ["nothing", "", ["body: must be JSON in UTF-8"]],
    ["a form", `token=${secret}`, ["body: must be JSON in UTF-8"]],
    ["a bare token", secret, ["body: must be JSON in UTF-8"]],
    ["two values", `{"token":"${secret}"}{}`, ["body: must be JSON in UTF-8"]],
    ["a text", `"${secret}"`, ["body: must be a JSON object"]],
    ["an array", `["${secret}"]`, ["body: must be a JSON object"]],
    ["two tokens", `{"token":"x","token":"${secret}"}`, ["body: must not name a member twice"]],
    ["null", "null", ["body: must be a JSON object"]],
    ["an empty object", "{}", ["token: is missing"]],
    ["a number", '{"token":1}', ["token: must be a text"]],
    ["null for a token", '{"token":null}', ["token: must be a text"]],
    ["an empty token", '{"token":""}', ["token: is empty"]],
    ["a blank in it", `{"token":"${secret} x"}`, ["token: must be visible ASCII without blanks"]],
    [
      "a line feed at its end",
      `{"token":"${secret}\\n"}`,
      ["token: must be visible ASCII without blanks"],
    ],
    [
      "a letter beyond ASCII",
      `{"token":"${secret}é"}`,
      ["token: must be visible ASCII without blanks"],
    ],
    [
      "a token that is too long",
      `{"token":"${"t".repeat(4097)}"}`,
      ["token: has 4097 characters: at most 4096"],
    ],
    ["another member", `{"token":"${secret}","ttl":1}`, ["ttl: is not known: only token is"]],
    [
      "everything at once",
      '{"Token":"x","ttl":1,"token":5}',
      [
        "Token: is not known: only token is",
        "ttl: is not known: only token is",
        "token: must be a text",
      ],
    ],
    [
      "a token for a name",
      `{"${secret}":""}`,
      ["a member with an odd name: is not known: only token is", "token: is missing"],
    ],
    [
      "a prototype",
      `{"__proto__":{"token":"${secret}"}}`,
      ["__proto__: is not known: only token is", "token: is missing"],
    ],
  ];
  for (const [name, body, problems] of refused) {
    test(`refuses ${name}, and repeats nothing of it`, () => {
      const read = readUnsealBody(closed(body));
      expect(read).toEqual({ kind: "problems", problems });
      expect(JSON.stringify(read)).not.toContain(secret);
    });
  }

  test("refuses bytes that are not UTF-8", () => {
    const bytes = new TextEncoder().encode('{"token":"??"}');
    bytes.fill(0xff, 10, 12);
    expect(readUnsealBody(secretBytesFrom(bytes))).toEqual({
      kind: "problems",
      problems: ["body: must be JSON in UTF-8"],
    });
  });
});
