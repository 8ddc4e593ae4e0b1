import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { monotonicMicroseconds } from "@svc/kernel";
import { notifySocket, waitFor } from "@svc/testing";
import { recordLog } from "../http/testdata/record-log.ts";
import { createNotifier, type NotifyEnvironment, watchdogPeriodMs } from "./notify-systemd.ts";

const PID = 77;

describe("createNotifier", () => {
  test("tells systemd each state of a service's life, in order", async () => {
    const address = `@svc-test-${crypto.randomUUID()}`;
    await using socket = await notifySocket(address);
    const { log, lines } = recordLog();
    const notifier = createNotifier({ notifySocket: address }, { pid: PID, log });
    notifier.status("sealed: waiting for a token");
    notifier.ready("running");
    notifier.reloading("restarting with new values");
    notifier.ready("running");
    notifier.stopping("the program\nended");
    notifier.stop();
    await socket.gets("STOPPING");
    expect(socket.messages()).toEqual([
      "STATUS=sealed: waiting for a token\n",
      "READY=1\nSTATUS=running\n",
      expect.stringMatching(
        /^RELOADING=1\nMONOTONIC_USEC=\d+\nSTATUS=restarting with new values\n$/,
      ),
      "READY=1\nSTATUS=running\n",
      "STOPPING=1\nSTATUS=the program ended\n",
    ]);
    expect(lines).toEqual([]);
  });

  test("counts a reload's time by CLOCK_MONOTONIC", async () => {
    const address = `@svc-test-${crypto.randomUUID()}`;
    await using socket = await notifySocket(address);
    const before = monotonicMicroseconds();
    createNotifier({ notifySocket: address }, { pid: PID, log: recordLog().log }).reloading("x");
    const [, usec] = /MONOTONIC_USEC=(\d+)/.exec(await socket.gets("RELOADING")) ?? [];
    expect(BigInt(usec ?? 0)).toBeGreaterThanOrEqual(before);
    expect(BigInt(usec ?? 0)).toBeLessThanOrEqual(monotonicMicroseconds());
  });

  test("feeds the watchdog once it is ready, and no more once it has stopped", async () => {
    const address = `@svc-test-${crypto.randomUUID()}`;
    await using socket = await notifySocket(address);
    const environment = { notifySocket: address, watchdogUsec: "40000", watchdogPid: String(PID) };
    const notifier = createNotifier(environment, { pid: PID, log: recordLog().log });
    notifier.status("starting");
    notifier.ready("running");
    const beats = () => socket.messages().filter((message) => message === "WATCHDOG=1\n").length;
    await waitFor(() => beats() >= 3, { deadlineMs: 5000, what: "three heartbeats" });
    notifier.stop();
    expect(socket.messages()[0]).toBe("STATUS=starting\n");
    expect(socket.messages()[1]).toStartWith("READY=1\n");
  });

  test("waits for a receiver whose queue is full, and loses nothing", async () => {
    const address = `@svc-test-${crypto.randomUUID()}`;
    await using socket = await notifySocket(address);
    const limit = Number(readFileSync("/proc/sys/net/unix/max_dgram_qlen", "utf8"));
    const notifier = createNotifier({ notifySocket: address }, { pid: PID, log: recordLog().log });
    // More than the queue takes, in one go.
    const count = Math.min(limit * 4 + 40, 5000);
    for (let index = 0; index < count; index += 1) notifier.status(`status ${index}`);
    await waitFor(() => socket.messages().length === count, { deadlineMs: 10_000, what: "all" });
    expect(socket.messages().at(-1)).toBe(`STATUS=status ${count - 1}\n`);
    notifier.stop();
  });

  test("logs once that systemd does not listen", () => {
    const { log, lines } = recordLog();
    const notifier = createNotifier({ notifySocket: "/nonexistent/notify" }, { pid: PID, log });
    notifier.ready("running");
    notifier.stopping("ended");
    notifier.stop();
    expect(lines).toMatchObject([{ level: "warn", reason: "sendto: ENOENT" }]);
  });

  for (const notifySocket of [undefined, ""]) {
    test(`does nothing if NOTIFY_SOCKET is ${notifySocket === "" ? "empty" : "not set"}`, () => {
      const { log, lines } = recordLog();
      const notifier = createNotifier({ notifySocket, watchdogUsec: "1000" }, { pid: PID, log });
      for (const say of [notifier.ready, notifier.status, notifier.reloading, notifier.stopping]) {
        say("x");
      }
      notifier.stop();
      expect(lines).toEqual([]);
    });
  }
});

describe("watchdogPeriodMs", () => {
  const rows: readonly (readonly [
    name: string,
    environment: NotifyEnvironment,
    periodMs: number | undefined,
  ])[] = [
    ["nothing is set", {}, undefined],
    ["the time is set", { watchdogUsec: "30000000" }, 15_000],
    ["the time and our pid are set", { watchdogUsec: "3000000", watchdogPid: "77" }, 1500],
    ["the pid is another's", { watchdogUsec: "3000000", watchdogPid: "78" }, undefined],
    ["the pid is empty", { watchdogUsec: "3000000", watchdogPid: "" }, 1500],
    ["the time is 0", { watchdogUsec: "0" }, undefined],
    ["the time is not a number", { watchdogUsec: "30s" }, undefined],
    ["the time is very short", { watchdogUsec: "1" }, 1],
    ["the time is endless", { watchdogUsec: "9".repeat(18) }, 2 ** 31 - 1],
  ];
  for (const [name, environment, periodMs] of rows) {
    test(`is ${periodMs ?? "none"} if ${name}`, () => {
      expect(watchdogPeriodMs(environment, PID)).toBe(periodMs);
    });
  }
});
