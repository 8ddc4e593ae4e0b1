import { describe, expect, test } from "bun:test";
import { parseReview } from "./parse-review.ts";
import { askingPod, podRequest, podReview } from "./testdata/pod-request.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const review = podReview(askingPod);

test("a review is read from bytes as from a value", () => {
  const request = podRequest(askingPod);
  expect(parseReview(review)).toEqual({ ok: true, request });
  expect(parseReview(bytes(JSON.stringify(review)))).toEqual({ ok: true, request });
});

test("omitted and null members are empty", () => {
  const kind = { group: null, version: "v1", kind: "Pod" };
  const request = { uid: "1", kind, operation: "DELETE", namespace: null };
  expect(parseReview({ ...review, request })).toEqual({
    ok: true,
    request: podRequest(null, { uid: "1", operation: "DELETE", namespace: "" }),
  });
});

const bad = [
  { name: "no JSON", sent: bytes('{"secret'), finds: ["review: must be JSON in UTF-8: it is not"] },
  {
    name: "no UTF-8",
    sent: Uint8Array.of(34, 255, 34),
    finds: ["review: must be JSON in UTF-8: it is not"],
  },
  { name: "a list", sent: bytes("[]"), finds: ["review: must be an object: it is a list"] },
  {
    name: "JSON that is a million lists deep",
    sent: bytes("[".repeat(1_000_000)),
    finds: ["review: must be JSON in UTF-8: it is not"],
  },
  {
    name: "several fields of other kinds",
    sent: { ...review, request: { kind: "Pod", operation: 1, dryRun: "yes" } },
    finds: [
      "review.request.uid: must be set: it is not set",
      "review.request.kind: must be an object: it is a string",
      "review.request.operation: must be a text: it is a number",
      "review.request.dryRun: must be true or false: it is a string",
    ],
  },
  {
    name: "another version and a uid without end",
    sent: {
      apiVersion: "admission.k8s.io/v1beta1",
      kind: "Pod",
      request: podRequest(askingPod, { uid: "x".repeat(129) }),
    },
    finds: [
      "review.apiVersion: must be admission.k8s.io/v1: it is not",
      "review.kind: must be AdmissionReview: it is not",
      "review.request.uid: must be of 1 to 128 characters: it has 129",
    ],
  },
];

const missing = [
  { name: "everything", sent: {}, fields: ["apiVersion", "kind", "request"] },
  {
    name: "a request without its fields",
    sent: { ...review, request: {} },
    fields: ["request.uid", "request.kind", "request.operation"],
  },
  {
    name: "a kind without its fields",
    sent: { ...review, request: { ...podRequest(null), kind: {} } },
    fields: ["request.kind.version", "request.kind.kind"],
  },
] as const;

describe("fields that have to be set:", () => {
  for (const { name, sent, fields } of missing) {
    test(name, () => {
      const problems = fields.map((field) => `review.${field}: must be set: it is not set`);
      expect(parseReview(sent)).toEqual({ ok: false, problems });
    });
  }

  test("the parts of a kind are texts", () => {
    const kind = { group: 1, version: 2, kind: 3 };
    const problems = ["group", "version", "kind"].map(
      (field) => `review.request.kind.${field}: must be a text: it is a number`,
    );
    const sent = { ...review, request: { ...podRequest(null), kind } };
    expect(parseReview(sent)).toEqual({ ok: false, problems });
  });
});

test("a uid of 128 characters is fine, and an empty one is not", () => {
  const withUid = (uid: string) => parseReview({ ...review, request: podRequest(null, { uid }) });
  expect(withUid("x".repeat(128)).ok).toBe(true);
  expect(withUid("")).toEqual({
    ok: false,
    problems: ["review.request.uid: must be of 1 to 128 characters: it has 0"],
  });
});

describe("refused with all that is wrong:", () => {
  for (const { name, sent, finds } of bad) {
    test(name, () => {
      expect(parseReview(sent)).toEqual({ ok: false, problems: finds });
    });
  }
});
