import { expect, test } from "bun:test";
import { Secret } from "@svc/vault";
import { digestOf } from "./digest-of.ts";
import type { SetUpWish } from "./set-up-store.ts";

const wish: SetUpWish = {
  kvPath: "secret",
  authPath: "kubernetes",
  policyName: "svc",
  policyScope: "all",
  role: { name: "svc", boundNames: ["app"], boundNamespaces: ["shop"], ttlSeconds: 3600 },
  review: { host: "https://10.0.0.1:443" },
};

test("a digest is the same for the same wish, and has its form", () => {
  expect(digestOf({ ...wish })).toBe(digestOf(wish));
  expect(digestOf(wish)).toMatch(/^sha256:[0-9a-f]{32}$/);
});

test("a reviewer's token does not count", () => {
  const reviewerToken = new Secret("a.b.c");
  expect(digestOf({ ...wish, review: { ...wish.review, reviewerToken } })).toBe(digestOf(wish));
});

const others: Readonly<Record<string, Partial<SetUpWish>>> = {
  "the KV path": { kvPath: "other" },
  "the auth path": { authPath: "other" },
  "the policy's name": { policyName: "other" },
  "whose secrets are read": { policyScope: "namespace" },
  "the role's name": { role: { ...wish.role, name: "other" } },
  "the role's life": { role: { ...wish.role, ttlSeconds: 60 } },
  "an audience": { role: { ...wish.role, audience: "vault" } },
  "a namespace": { role: { ...wish.role, boundNamespaces: ["*"] } },
  "the API server": { review: { host: "https://10.0.0.2:443" } },
  "its certificates": { review: { host: "https://10.0.0.1:443", caPem: "pem" } },
  "where the store runs": { review: { host: "https://10.0.0.1:443", outside: true } },
};
for (const [name, change] of Object.entries(others)) {
  test(`${name} makes another digest`, () => {
    expect(digestOf({ ...wish, ...change })).not.toBe(digestOf(wish));
  });
}
