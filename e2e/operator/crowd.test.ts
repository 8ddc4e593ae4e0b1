import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, constants, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { temporaryFolder, waitFor } from "@svc/testing";
import { askingPod, createPod, messageIn, wrappedIn } from "./created-pods.ts";
import { ownAddress } from "./own-address.ts";
import type { Replica } from "./replica.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { sendReview } from "./send-review.ts";

const TIMEOUT_MS = 240_000;
let operator: RunningOperator;
beforeAll(async () => {
  operator = await runningOperator();
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

/** Creates as many pods, one after the other. */
async function createPods(count: number): Promise<readonly (readonly string[])[]> {
  const results: (readonly string[])[] = [];
  for (let index = 0; index < count; index++) {
    const created = await createPod(operator.kube, askingPod());
    results.push(created.status === 201 ? wrappedIn(created) : [messageIn(created)]);
  }
  return results;
}

const PODS = 10;
/** Reviews on their way at the same time while the log is filled. */
const AT_ONCE = 16;
const allWrapped = Array.from({ length: PODS }, () => ["app"]);

/** Connections by TLS on which `text` was sent and nothing else. */
async function connections({ port }: Replica, count: number, text: string) {
  const sockets: TLSSocket[] = [];
  const opened = Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect({ host: ownAddress(), port, rejectUnauthorized: false });
    socket.on("secureConnect", () => {
      if (text !== "") socket.write(text);
      resolve(true);
    });
    socket.on("error", () => resolve(false));
    sockets.push(socket);
    return promise;
  });
  return {
    opened: Promise.all(opened),
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe("admissions go on", () => {
  const head =
    "POST /mutate-v1-pod?timeout=10s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const rows = {
    "beside 200 connections that say nothing": [200, ""],
    "beside 400 that never end their headers": [400, `${head}X-Slow: `],
    "beside 2,000 whose body never comes": [2000, `${head}Content-Length: 1000\r\n\r\n{`],
  } as const;
  for (const [name, [count, text]] of Object.entries(rows)) {
    test(
      name,
      async () => {
        const replica = await operator.replace();
        using crowd = await connections(replica, count, text);
        expect((await crowd.opened).filter(Boolean)).toHaveLength(count);
        const beganMs = performance.now();
        expect(await createPods(PODS)).toEqual(allWrapped);
        expect(performance.now() - beganMs).toBeLessThan(60_000);
      },
      TIMEOUT_MS,
    );
  }
});

test(
  "with few descriptors it goes on as well, and takes new connections once there are some again",
  async () => {
    const replica = await operator.replace();
    Bun.spawnSync(["prlimit", `--pid=${replica.process.pid}`, "--nofile=64:64"]);
    {
      using _ = await connections(replica, 200, "");
      const isFull = () => readdirSync(`/proc/${replica.process.pid}/fd`).length >= 64;
      await waitFor(isFull, { deadlineMs: 10_000, what: "it to have no descriptor left" });
      expect(await createPods(PODS)).toEqual(allWrapped);
    }
    const answers = async () => (await replica.ask("/readyz"))?.status === 200;
    await waitFor(answers, { deadlineMs: 20_000, what: "it to take connections" });
    expect(await createPods(PODS)).toEqual(allWrapped);
    expect(replica.process.exitCode()).toBeUndefined();
  },
  TIMEOUT_MS,
);

describe("a log without a reader", () => {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());

  test(
    "stops no admission; lost lines are counted, and lines come again once they are read",
    async () => {
      const pipe = join(folder.path, "log");
      Bun.spawnSync(["mkfifo", pipe]);
      const script = 'exec "$@" 2<>"$0"';
      const within = (words: readonly string[]) => ["sh", "-c", script, pipe, ...words];
      const replica = await operator.replace({ within });
      await fillLog(replica);
      expect(await dropped(replica)).toBeGreaterThan(0);
      expect(await createPods(PODS)).toEqual(allWrapped);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const isReadUp = () => drain(reader) === "";
        await waitFor(isReadUp, { deadlineMs: 20_000, what: "the old lines to be read" });
        const before = await dropped(replica);
        await createPods(1);
        const isThere = () => drain(reader).includes('"outcome":"injected"');
        await waitFor(isThere, { deadlineMs: 5000, what: "a new line" });
        expect(await dropped(replica)).toBe(before);
      } finally {
        closeSync(reader);
      }
    },
    TIMEOUT_MS,
  );
});

/** Sends reviews with long lines until one is dropped. */
async function fillLog(replica: Replica): Promise<void> {
  const mistakes = Array.from({ length: 1000 }, (_, index) => [
    `svc.internal/${index}${"x".repeat(60)}`,
    "1",
  ]);
  const pod = {
    metadata: { annotations: { "svc.internal/inject": "true", ...Object.fromEntries(mistakes) } },
    spec: { containers: [{ name: "app" }] },
  };
  const isFull = async () => {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => sendReview(replica, pod)),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    return (await dropped(replica)) > 0;
  };
  await waitFor(isFull, { deadlineMs: 60_000, what: "the log to be full" });
}

async function dropped(replica: Replica): Promise<number> {
  const metrics = (await replica.ask("/metrics"))?.text ?? "";
  return Number(/log_lines_dropped_total (\d+)/.exec(metrics)?.[1]);
}

/** Everything that can be read now. */
function drain(descriptor: number): string {
  const buffer = Buffer.alloc(65_536);
  let text = "";
  for (;;) {
    try {
      text += buffer.toString("utf8", 0, readSync(descriptor, buffer));
    } catch {
      return text;
    }
  }
}
