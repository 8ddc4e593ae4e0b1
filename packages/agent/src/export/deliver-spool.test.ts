import { describe, expect, test } from "bun:test";
import { temporaryFolder, waitFor } from "@svc/testing";
import { Spool } from "../spool/spool.ts";
import { deliverSpool, pauseAfter } from "./deliver-spool.ts";
import type { SendOutcome } from "./send-outcome.ts";

const taken: SendOutcome = { kind: "taken", rejected: 0, message: "" };
const later: SendOutcome = { kind: "later", reason: "the platform answered 503", afterMs: 1 };
const never: SendOutcome = { kind: "never", reason: "the platform answered 400" };

describe("a delivery", () => {
  test("sends waiting records, oldest first, and acknowledges accepted ones", async () => {
    await using stage = startStage(() => taken);
    stage.add("a", "b");
    await stage.empties();
    stage.add("c");
    await stage.empties();
    expect(stage.sent.flat()).toEqual(["a", "b", "c"]);
    expect(stage.counts()).toMatchObject({ delivered: 3, rejected: 0, isReachable: true });
  });

  test("sends the same again until it is taken, by a new client each time", async () => {
    let attempts = 0;
    await using stage = startStage(() => {
      attempts += 1;
      return attempts < 4 ? later : taken;
    });
    stage.add("a");
    await stage.empties();
    expect(stage.sent).toEqual([["a"], ["a"], ["a"], ["a"]]);
    expect(stage.counts()).toMatchObject({ delivered: 1, failedRequests: 3 });
    expect(stage.clients()).toBe(4);
    const outages = stage.lines.filter((line) => line.includes("does not take events"));
    expect(outages).toHaveLength(1);
    expect(stage.lines.at(-1)).toContain("takes events again");
  });

  test("reports an outage's reason whenever it is another one", async () => {
    const reasons = ["x", "x", "y", "y", "x"];
    await using stage = startStage(() => {
      const reason = reasons.shift();
      return reason === undefined ? taken : { kind: "later", reason, afterMs: 1 };
    });
    stage.add("a");
    await stage.empties();
    const told = stage.lines.filter((line) => line.includes("not take events"));
    expect(told).toHaveLength(3);
    expect(told.at(1)).toContain("for another reason");
  });

  const answer = { status: 502, contentType: "text/html", excerpt: "<h1>Bad gateway" };
  const strange: Readonly<Record<string, readonly SendOutcome[]>> = {
    "does not take events": [{ ...later, answer }],
    "never takes an event": [{ ...never, answer }],
    "its answer is not one of OTLP": [
      { ...taken, answer },
      { ...taken, answer },
    ],
  };
  for (const [message, outcomes] of Object.entries(strange)) {
    test(`shows the answer of a server once: ${message}`, async () => {
      const left = [...outcomes];
      await using stage = startStage(() => left.shift() ?? taken);
      for (const record of ["a", "b"]) {
        stage.add(record);
        await stage.empties();
      }
      const told = stage.lines.filter((line) => line.includes(message));
      expect(told).toEqual([expect.stringContaining(JSON.stringify(answer).slice(1, -1))]);
    });
  }

  test("halves a batch that is always refused, and gives up the one record at fault", async () => {
    await using stage = startStage((records) => (records.includes("bad") ? never : taken));
    stage.add(..."abcdefg", "bad", ..."hijklmnop");
    await stage.empties();
    expect(stage.takenRecords()).toEqual([..."abcdefghijklmnop"]);
    expect(stage.counts()).toMatchObject({ delivered: 16, rejected: 1 });
    expect(stage.sent.length).toBeLessThan(20);
  });

  test("gives up a few records at most if everything is refused, until it is not any more", async () => {
    let isBroken = true;
    await using stage = startStage(() => (isBroken ? never : taken));
    stage.add(..."abcdefghijklmnopqrstuvwxyz");
    await waitFor(() => stage.counts().rejected >= 4, { deadlineMs: 5000, what: "refusals" });
    isBroken = false;
    await stage.empties();
    const { rejected, delivered } = stage.counts();
    expect(rejected).toBeLessThan(8);
    expect(rejected + delivered).toBe(26);
    expect(stage.lines.filter((line) => line.includes("refuses every event"))).toHaveLength(1);
  });

  test("counts the records that a platform reports as rejected", async () => {
    await using stage = startStage(() => ({ kind: "taken", rejected: 1, message: "too old" }));
    stage.add("a", "b", "c");
    await stage.empties();
    expect(stage.counts()).toMatchObject({ delivered: 2, rejected: 1 });
  });

  test("goes on if a client cannot be made, as without a certificate", async () => {
    let attempts = 0;
    await using stage = startStage(
      () => taken,
      () => {
        attempts += 1;
        if (attempts < 2) throw new Error("read PLATFORM_TLS_CA: ENOENT");
      },
    );
    stage.add("a");
    await stage.empties();
    expect(stage.lines.join()).toContain("read PLATFORM_TLS_CA: ENOENT");
  });

  test("gives memory back in a long pause, and not in a short one", async () => {
    const answers = [later, later];
    await using stage = startStage(() => answers.shift() ?? { ...later, afterMs: 600_000 });
    stage.add("a");
    await waitFor(() => stage.longPauses() > 0, { deadlineMs: 10_000, what: "the long pause" });
    expect([stage.longPauses(), stage.counts().failedRequests]).toEqual([1, 3]);
  });

  test("ends in the middle of a pause, and waiting records stay", async () => {
    const stage = startStage(() => ({ kind: "later", reason: "down", afterMs: 600_000 }));
    stage.add("a");
    await waitFor(() => stage.counts().failedRequests === 1, {
      deadlineMs: 2000,
      what: "a failure",
    });
    await stage.end();
    expect(stage.waiting()).toBe(1);
    stage.close();
  });
});

describe("the pause after failures", () => {
  const rows: readonly (readonly [failures: number, random: number, ms: number])[] = [
    [1, 0, 125],
    [1, 1, 500],
    [4, 1, 4000],
    [20, 1, 30_000],
    [1000, 0.5, 15_062.5],
  ];
  for (const [failures, random, ms] of rows) {
    test(`is ${ms} ms after ${failures} of them when chance says ${random}`, () => {
      expect(pauseAfter(failures, () => random)).toBe(ms);
    });
  }
});

function startStage(
  answer: (records: readonly string[]) => SendOutcome,
  beforeConnect: () => void = () => undefined,
) {
  const folder = temporaryFolder();
  const spool = new Spool({ folder: folder.path });
  const ended = new AbortController();
  const sent: string[][] = [];
  const accepted: string[][] = [];
  const lines: string[] = [];
  let clients = 0;
  let longPauses = 0;
  let batch: string[] = [];
  const delivery = deliverSpool({
    spool,
    encode: (contents) => {
      batch = contents.map((content) => new TextDecoder().decode(content));
      return { body: new Uint8Array(), count: contents.length };
    },
    connect: () => {
      beforeConnect();
      clients += 1;
      return {
        send: async () => {
          sent.push(batch);
          const outcome = answer(batch);
          if (outcome.kind === "taken") accepted.push(batch);
          return outcome;
        },
        close: () => undefined,
      };
    },
    log: (_, message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    random: () => 0,
    signal: ended.signal,
    onLongPause: () => {
      longPauses += 1;
    },
  });
  const end = async () => {
    ended.abort();
    await delivery.ended;
  };
  const close = () => {
    spool.close();
    folder[Symbol.dispose]();
  };
  return {
    ...{ sent, lines, end, close },
    add: (...records: readonly string[]) => {
      spool.append(records.map((record) => new TextEncoder().encode(record)));
      delivery.wake();
    },
    empties: () =>
      waitFor(() => spool.counts().waiting === 0, { deadlineMs: 5000, what: "an empty spool" }),
    waiting: () => spool.counts().waiting,
    takenRecords: () => accepted.flat(),
    counts: delivery.counts,
    clients: () => clients,
    longPauses: () => longPauses,
    [Symbol.asyncDispose]: async () => {
      await end();
      close();
    },
  };
}
