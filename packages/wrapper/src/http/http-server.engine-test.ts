import { describe, expect, test } from "bun:test";
import { runtime } from "../engine/runtime.ts";
import { openHttpServer } from "./engine/http-server.ts";
import { jsonAnswer } from "./http-answer.ts";

const HOUR_MS = 3_600_000;

/** A server whose answer is the number of times that it was asked. */
function countingServer(holdsMs?: number) {
  let asked = 0;
  const count = () => {
    asked += 1;
    return { ...jsonAnswer(200, asked), ...(holdsMs !== undefined && { holdsMs }) };
  };
  const service = { answerHead: count, answerBody: async () => count() };
  const server = openHttpServer({ host: "127.0.0.1", port: 0, spared: ["127.0.0.1"], service });
  const ask = async (path: string) => {
    const where = { host: "127.0.0.1", port: server.port, isTls: false, mostBytes: 1000 };
    const answer = await runtime.ask({ ...where, path });
    return answer.kind === "answer" ? answer.body : answer.why;
  };
  return { server, ask };
}

describe("the host's server", () => {
  test("repeats an answer that holds, for its path alone, until it is told to forget it", async () => {
    const { server, ask } = countingServer(HOUR_MS);
    expect(await ask("/a")).toBe("1");
    expect(await ask("/a")).toBe("1");
    expect(await ask("/b")).toBe("2");
    expect(await ask("/a?x")).toBe("1");
    server.forget();
    expect(await ask("/a")).toBe("3");
    expect(await ask("/a")).toBe("3");
    server.stop();
  });

  test("asks each time for an answer that does not hold", async () => {
    for (const holdsMs of [undefined, 0]) {
      const { server, ask } = countingServer(holdsMs);
      expect([await ask("/a"), await ask("/a")]).toEqual(["1", "2"]);
      server.stop();
    }
  });
});
