import { expect, test } from "bun:test";
import { Secret } from "@svc/vault";
import { digestOf } from "./digest-of.ts";
import type { SetUpRequest } from "./set-up-store.ts";

const wanted: SetUpRequest = {
  kvPath: "secret",
  authPath: "kubernetes",
  policyName: "svc",
  policyScope: "all",
  role: {
    name: "svc",
    boundNames: ["app"],
    boundNamespaces: ["shop"],
    ttlSeconds: 3600,
    tokenType: "service",
  },
  review: { host: "https://10.0.0.1:443" },
};

test("a digest is the same for the same request, and has its form", () => {
  expect(digestOf({ ...wanted })).toBe(digestOf(wanted));
  expect(digestOf(wanted)).toMatch(/^sha256:[0-9a-f]{32}$/);
});

test("a digest without new settings is that of earlier releases", () => {
  expect(digestOf(wanted)).toBe("sha256:7a415612180495e700aaece3804c45a2");
});

test("a reviewer's token does not count", () => {
  const reviewerToken = new Secret("a.b.c");
  expect(digestOf({ ...wanted, review: { ...wanted.review, reviewerToken } })).toBe(
    digestOf(wanted),
  );
});

const others: Readonly<Record<string, Partial<SetUpRequest>>> = {
  "the KV path": { kvPath: "other" },
  "the auth path": { authPath: "other" },
  "the policy's name": { policyName: "other" },
  "whose secrets are read": { policyScope: "namespace" },
  "the role's name": { role: { ...wanted.role, name: "other" } },
  "the role's life": { role: { ...wanted.role, ttlSeconds: 60 } },
  "the type of tokens": { role: { ...wanted.role, tokenType: "batch" } },
  "an audience": { role: { ...wanted.role, audience: "vault" } },
  "a namespace": { role: { ...wanted.role, boundNamespaces: ["*"] } },
  "a role for hints": {
    hints: {
      name: "svc-version-hints",
      account: { namespace: "svc-system", name: "svc-operator" },
    },
  },
  "the API server": { review: { host: "https://10.0.0.2:443" } },
  "its certificates": { review: { host: "https://10.0.0.1:443", caPem: "pem" } },
  "the place of the store": { review: { host: "https://10.0.0.1:443", outside: true } },
};
for (const [name, change] of Object.entries(others)) {
  test(`${name} makes another digest`, () => {
    expect(digestOf({ ...wanted, ...change })).not.toBe(digestOf(wanted));
  });
}
