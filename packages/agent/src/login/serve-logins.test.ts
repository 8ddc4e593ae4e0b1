import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { type RefusedLogin, serveLogins } from "./serve-logins.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

// A wrapper that is the first process of a pod's container: e2e/registration/login.test.ts.
test("a process outside of pods gets the end of its connection, and is reported", async () => {
  const path = join(folder.path, "wrappers/login.sock");
  mkdirSync(join(folder.path, "wrappers"), { mode: 0o700 });
  const refused: RefusedLogin[] = [];
  const stop = await serveLogins({
    ...{ path, kubelet: folder.path, log: () => undefined },
    tokens: { tokenOf: () => "a.b.c" },
    onRefused: (one) => void refused.push(one),
  });
  expect(statSync(path).mode & 0o777).toBe(0o666);
  expect(await answerAt(path)).toBe("");
  await waitFor(() => refused.length === 1, { deadlineMs: 10_000, what: "word of the refusal" });
  expect(refused).toEqual([
    { reason: "it is not in a pod", pid: process.pid, uid: process.getuid?.() ?? 0 },
  ]);
  stop();
  expect(existsSync(path)).toBe(false);
});

test("a process that asks again and again is reported a few times", async () => {
  const path = join(folder.path, "flood/login.sock");
  mkdirSync(join(folder.path, "flood"), { mode: 0o700 });
  let refused = 0;
  const stop = await serveLogins({
    ...{ path, kubelet: folder.path, log: () => undefined },
    tokens: { tokenOf: () => "a.b.c" },
    onRefused: () => {
      refused += 1;
    },
  });
  for (let round = 0; round < 100; round += 1) expect(await answerAt(path)).toBe("");
  stop();
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(100);
});

async function answerAt(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(path, () => socket.write("t"));
  socket.setEncoding("utf8");
  socket.on("data", (piece) => {
    text += piece;
  });
  // It may be closed before the byte is sent.
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(text));
  return promise;
}
