import { describe, expect, mock, test } from "bun:test";
import type { HttpAnswer as HostAnswer, openHttpServer as openHostServer } from "svc:engine";
import { secretBytesFrom } from "@svc/secret-bytes";
import { jsonAnswer } from "../http-answer.ts";
import type { OpenHttpServer } from "../http-server.ts";
import type { HttpService } from "../http-service.ts";

type HostOptions = Parameters<typeof openHostServer>[0];

// the host's side, as svc-engine-http-server.d.ts declares it.
let host: HostOptions | undefined;
let refusal: Error | undefined;
// Every test of the process has to name the same exports.
await mock.module("svc:engine", () => ({
  SecretBytes: {},
  hmacSha256: undefined,
  sendHttp: undefined,
  openHttpServer: (options: HostOptions) => {
    if (refusal !== undefined) throw refusal;
    host = options;
    return { address: "127.0.0.1", port: 1 };
  },
}));
const { openHttpServer }: { openHttpServer: OpenHttpServer } = await import("./http-server.ts");

const head = { method: "GET", path: "/", headers: [], bodyLength: 0 } as const;
const client = { address: "10.0.0.1", certificateName: undefined };
const failing = () => {
  throw new RangeError("on purpose");
};

function opened(service: Partial<HttpService> = {}): HostOptions {
  refusal = undefined;
  openHttpServer({
    ...{ host: "127.0.0.1", port: 0, spared: [] },
    service: { answerHead: () => undefined, answerBody: async () => failing(), ...service },
  });
  if (host === undefined) throw new TypeError("the host was not asked");
  return host;
}

describe("the engine's server", () => {
  test("hands on the head, and the answer with its headers", () => {
    const { answerHead } = opened({
      answerHead: ({ method, headers }) =>
        jsonAnswer(200, [method, headers.get("host")], { "retry-after": "5" }),
    });
    const answer = answerHead({ ...head, headers: [["host", "pod"]] }, client);
    expect(answer).toMatchObject({ status: 200, body: '["GET","pod"]' });
    expect(answer?.headers).toEqual([["retry-after", "5"]]);
  });

  test("answers 500 if the service throws, and says nothing of the error", async () => {
    const { answerHead, answerBody } = opened({ answerHead: failing });
    const later = Promise.withResolvers<HostAnswer>();
    answerBody(head, secretBytesFrom(new Uint8Array()) as never, client, later.resolve);
    for (const answer of [answerHead(head, client), await later.promise]) {
      expect(answer?.status).toBe(500);
      expect(answer?.body).toContain("INTERNAL");
      expect(answer?.body).not.toContain("on purpose");
    }
  });

  const refusals = [
    ["the errno if the host cannot listen", 98, { code: "EADDRINUSE" }],
    [
      "the name if the host does not know it",
      0,
      { message: "vault is neither an address nor a name in /etc/hosts" },
    ],
  ] as const;
  for (const [what, errno, expected] of refusals) {
    test(`gives ${what}`, () => {
      refusal = Object.assign(new Error("listen"), { errno });
      expect(() =>
        openHttpServer({
          ...{ host: "vault", port: 1, spared: [] },
          service: { answerHead: () => undefined, answerBody: async () => failing() },
        }),
      ).toThrow(expect.objectContaining(expected));
    });
  }
});
