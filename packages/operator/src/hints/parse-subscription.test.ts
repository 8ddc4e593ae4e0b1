import { expect, test } from "bun:test";
import { parseSubscription } from "./parse-subscription.ts";

const whole = {
  token: "t",
  vault: { address: "https://vault.test:8200" },
  port: 8199,
  tls: false,
  key: "0f".repeat(32),
  secrets: [{ path: "secret/data/shop/db", version: 3 }],
};
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const secretsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `secret/data/${index}`, version: 1 }));

test("a whole subscription is taken as it is, and without the members that are not known", () => {
  expect(parseSubscription(bytes({ ...whole, more: 1 }))).toEqual(whole);
  const vault = { address: "https://vault.test:8200", namespace: "team" };
  expect(parseSubscription(bytes({ ...whole, vault }))).toEqual({ ...whole, vault });
  expect(parseSubscription(bytes({ ...whole, secrets: secretsOf(128) }))).toMatchObject({
    secrets: { length: 128 },
  });
});

test.each([
  ["no object", [], "it is not a JSON object"],
  ["no token", { ...whole, token: "" }, "token: must be a text"],
  ["no address", { ...whole, vault: {} }, "vault.address: must be a text"],
  ["port 0", { ...whole, port: 0 }, "port: must be a number of a port"],
  ["port 65536", { ...whole, port: 65_536 }, "port: must be a number of a port"],
  ["a port that is a text", { ...whole, port: "8199" }, "port: must be a number of a port"],
  ["tls that is a text", { ...whole, tls: "no" }, "tls: must be true or false"],
  ["a short key", { ...whole, key: "0f" }, "key: must be 64 hexadecimal digits"],
  ["a key with capitals", { ...whole, key: "0F".repeat(32) }, "key: must be 64 hexadecimal digits"],
  ["no secrets", { ...whole, secrets: [] }, "secrets: must be a list with at least one secret"],
  ["too many secrets", { ...whole, secrets: secretsOf(129) }, "secrets: 128 at most"],
  [
    "version 0",
    { ...whole, secrets: [{ path: "secret/data/a", version: 0 }] },
    "secrets[0].version: must be a number from 1",
  ],
  [
    "the same secret twice",
    { ...whole, secrets: [...whole.secrets, ...whole.secrets] },
    "secrets[1].path: it is there twice",
  ],
  ...[
    "secret/shop/db",
    "secret/data/../x",
    "secret/data/",
    "a/data/b/data/c",
    "x".repeat(1025),
  ].map(
    (path) =>
      [
        `the path ${path.slice(0, 20)}`,
        { ...whole, secrets: [{ path, version: 1 }] },
        "secrets[0].path: must be the data path of a KV v2 secret",
      ] as const,
  ),
])("%s is refused, and nothing of it is quoted", (_, value, problem) => {
  expect(parseSubscription(bytes(value))).toBe(problem);
});

test("bytes that are not UTF-8 are refused", () => {
  expect(parseSubscription(new Uint8Array([0xff]))).toBe("it is not a JSON object");
});
