import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, freePort, temporaryFolder } from "@svc/testing";
import { WrapperError } from "../errors.ts";
import { askOperator, type OperatorQuestion } from "./ask-operator.ts";

const TOKEN = "token-canary";
const folder = temporaryFolder();
const tokenPath = join(folder.path, "token");
const asked: unknown[] = [];
let answer = new Response();
let server: Bun.Server<undefined>;
let caPem = "";

beforeAll(async () => {
  writeFileSync(tokenPath, TOKEN);
  const authority = await certificateAuthority("operator's CA");
  const { certificatePem: cert, keyPem: key } = await authority.issue();
  caPem = authority.certificatePem;
  server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: { cert, key } },
    fetch: async (request) => {
      asked.push([new URL(request.url).pathname, await request.json()]);
      return answer;
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  folder[Symbol.dispose]();
});

type Permits = Parameters<typeof askOperator>[0];

/** The decision of an answer, or all that is said about the failure. */
async function ask(more: Partial<Permits> = {}): Promise<string> {
  const permits = { address: server.url.origin, caPem, tokenPath, ...more };
  const question: OperatorQuestion = {
    ...{ path: "/v1/permit", members: { say: "ask" } },
    ...{ code: "PERMIT_UNANSWERED", purpose: "for a permit" },
  };
  try {
    return await askOperator(permits, question, ({ decision }) => {
      return typeof decision === "string" ? decision : undefined;
    });
  } catch (error) {
    if (!(error instanceof WrapperError)) throw error;
    return error.failures.map(({ code, message }) => `${code}: ${message}`).join("\n");
  }
}

describe("a question to the operator", () => {
  test("has the token and its members, and gets its answer", async () => {
    answer = Response.json({ decision: "go" });
    expect(await ask()).toBe("go");
    expect(asked.at(-1)).toEqual(["/v1/permit", { token: TOKEN, say: "ask" }]);
  });

  const told = { error: { message: "the pod is\nnot known" } };
  const refusals: readonly (readonly [name: string, Response, why: string])[] = [
    [
      "an error with its reason",
      Response.json(told, { status: 403 }),
      "HTTP 403: the pod is?not known",
    ],
    ["an error without a reason", new Response("busy", { status: 503 }), "HTTP 503"],
    [
      "another answer",
      Response.json({ verdict: "go" }),
      "the answer is not one that the wrapper knows",
    ],
    ["a list", Response.json(["go"]), "the answer is not one that the wrapper knows"],
  ];
  for (const [name, response, why] of refusals) {
    test(`is not answered by ${name}`, async () => {
      answer = response;
      const address = server.url.origin;
      const said = `PERMIT_UNANSWERED: ask the operator at ${address} for a permit: ${why}`;
      expect(await ask()).toBe(said);
    });
  }

  test("says why there is no connection", async () => {
    const address = `https://127.0.0.1:${freePort()}`;
    const said = await ask({ address });
    expect(said).toStartWith(`PERMIT_UNANSWERED: ask the operator at ${address} for a permit: `);
    expect(said).not.toContain("undefined");
    expect(said).toMatch(/refused/i);
  });

  test("trusts the authority of the settings alone", async () => {
    const other = await certificateAuthority("another CA");
    const before = asked.length;
    const said = await ask({ caPem: other.certificatePem });
    expect(said).toMatch(/^PERMIT_UNANSWERED: .*: unknown authority$/);
    expect(asked).toHaveLength(before);
  });

  test("is not sent without a token", async () => {
    const missing = join(folder.path, "none");
    const said = await ask({ tokenPath: missing });
    expect(said).toContain(`TOKEN_UNREADABLE: read SVC_PERMITS_TOKEN_FILE "${missing}": `);
  });
});
