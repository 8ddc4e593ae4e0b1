import { describe, expect, test } from "bun:test";
import { AwsV4Signer } from "aws4fetch";
import { signatureProblem } from "../testdata/check-signature.ts";
import type { CloudRequest } from "../testdata/stand-in.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const DATE = "20150830T123600Z";
const nowMs = Date.parse("2015-08-30T12:36:00Z");

interface Vector {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly region?: string;
  readonly service: string;
  readonly signature: string;
}

const formPost: Vector = {
  ...{ method: "POST", url: "https://example.amazonaws.com/", service: "service" },
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: "Param1=value1",
  signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
};

/** Vectors of AWS's "Signature Version 4 test suite", and of the example of its signing process. */
const vectors: Readonly<Record<string, Vector>> = {
  "get-vanilla": {
    ...{ method: "GET", url: "https://example.amazonaws.com/", service: "service" },
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  "get-vanilla-query-order-key-case": {
    ...{ method: "GET", url: "https://example.amazonaws.com/?Param2=value2&Param1=value1" },
    service: "service",
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  "post-x-www-form-urlencoded": formPost,
  "the example of the signing process, ListUsers": {
    method: "GET",
    url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
    headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
    service: "iam",
    signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  },
};

async function signed({ signature: _, ...vector }: Vector): Promise<CloudRequest> {
  const { service, region = "us-east-1", body = "" } = vector;
  const signer = new AwsV4Signer({
    ...{ ...vector, body, service, region, datetime: DATE, allHeaders: true },
    ...{ accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET },
  });
  const { method, url, headers } = await signer.sign();
  const sent = new Headers(headers);
  sent.set("Host", url.host);
  return { method, url, headers: sent, body };
}

const requestOf = ({ service }: Vector) => ({
  ...{ region: "us-east-1", service, nowMs },
  secretOf: (id: string) => (id === "AKIDEXAMPLE" ? SECRET : undefined),
});

describe("AWS's published vectors have the signature of", () => {
  for (const [name, vector] of Object.entries(vectors)) {
    test(`${name}, as it is made and as it is checked`, async () => {
      const request = await signed(vector);
      expect(request.headers.get("authorization")).toEndWith(`Signature=${vector.signature}`);
      expect(signatureProblem(request, requestOf(vector))).toBeUndefined();
    });
  }
});

describe("a signature is refused", () => {
  const changes: Readonly<Record<string, (request: CloudRequest) => CloudRequest>> = {
    "for another body": (request) => ({ ...request, body: "Param1=value2" }),
    "for another method": (request) => ({ ...request, method: "PUT" }),
    "for another path": (request) => ({ ...request, url: new URL("/x", request.url) }),
    "for another header": (request) => {
      const headers = new Headers(request.headers);
      headers.set("Content-Type", "text/plain");
      return { ...request, headers };
    },
    "if a header of AWS's is not signed": (request) => {
      const headers = new Headers(request.headers);
      headers.set("X-Amz-Target", "x");
      return { ...request, headers };
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    test(name, async () => {
      expect(signatureProblem(change(await signed(formPost)), requestOf(formPost))).toBeString();
    });
  }

  const requests: Readonly<Record<string, object>> = {
    "in another region": { region: "eu-central-1" },
    "for another service": { service: "sts" },
    "of another key": { secretOf: () => "other" },
    "of no key": { secretOf: () => undefined },
    "six minutes later": { nowMs: nowMs + 360_000 },
  };
  for (const [name, wanted] of Object.entries(requests)) {
    test(name, async () => {
      const request = await signed(formPost);
      expect(signatureProblem(request, { ...requestOf(formPost), ...wanted })).toBeString();
    });
  }
});
