import { afterAll, describe, expect, test } from "bun:test";
import { closed } from "../../test/closed.ts";
import { TestPki } from "../../test/test-pki.ts";
import { keyProblem } from "./key-problem.ts";

const pki = new TestPki();
afterAll(() => pki[Symbol.dispose]());
const { cert, key } = pki.issue("client", "DNS:client");
const ENCRYPTED = "is encrypted, only a plain PEM key can be used";
const NONE = "holds no PEM private key";
const begin = (kind: string) => `-----BEGIN ${kind}-----`;

describe("a client's private key", () => {
  const rows: readonly (readonly [name: string, text: string, problem: string | undefined])[] = [
    ["a plain key", key, undefined],
    ["blank lines before it", `\n\n${key}`, undefined],
    ["a comment before it", `Bag Attributes\n${key}`, undefined],
    ["its certificate before it", cert + key, undefined],
    ["an encrypted key", `${begin("ENCRYPTED PRIVATE KEY")}\nMIA=\n`, ENCRYPTED],
    ["an older encrypted key", `${begin("RSA PRIVATE KEY")}\nProc-Type: 4,ENCRYPTED\n`, ENCRYPTED],
    ["one of Windows", `${begin("EC PRIVATE KEY")}\r\nProc-Type: 4,ENCRYPTED\r\n`, ENCRYPTED],
    ["the certificate alone", cert, NONE],
    ["nothing", "", NONE],
    ["a text", "hello", NONE],
  ];
  for (const [name, text, problem] of rows) {
    test(`of a file with ${name}`, () => expect(keyProblem(closed(text), cert)).toBe(problem));
  }

  test("may be in one file with its certificate, which is named twice", () => {
    const both = cert + key;
    expect(keyProblem(closed(both), both)).toBeUndefined();
  });
});
