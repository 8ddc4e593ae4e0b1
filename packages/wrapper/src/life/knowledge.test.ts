import { describe, expect, test } from "bun:test";
import type { CheckResult, SecretsState } from "../messages/courier-message.ts";
import { SessionHolder } from "../processes/session-holder.ts";
import {
  afterCheck,
  checkJob,
  firstExpiryMs,
  learn,
  learnUnchanged,
  nextDueMs,
} from "./knowledge.ts";

const lease = {
  id: "db/1",
  path: "db/creds/app",
  durationMs: 60_000,
  ttlMs: 60_000,
  renewable: true,
};
const state: SecretsState = {
  watched: [{ path: "secret/data/app", version: 3, createdTime: "then", by: "metadata" }],
  leases: [lease],
  digest: "digest",
};
const known = learn(state, { nowMs: 1000, random: 0.5 });
const quiet: CheckResult = {
  loggedIn: false,
  renewedLeases: [],
  endingLeases: [],
  watched: state.watched,
  changed: false,
  older: false,
  failures: [],
};
const at = (nowMs: number) => ({ nowMs, random: 0.5 });

describe("the facts about secrets", () => {
  test("counts a lease from the fetch, and renews it between a half and two thirds of its time", () => {
    expect(firstExpiryMs(known)).toBe(61_000);
    expect(nextDueMs(known, undefined)).toBe(36_000);
    expect(nextDueMs(learn(state, { nowMs: 1000, random: 0 }), undefined)).toBe(31_000);
    expect(nextDueMs(learn(state, { nowMs: 1000, random: 1 }), undefined)).toBe(41_000);
  });

  test("never expires without a lease", () => {
    const endless = learn({ ...state, leases: [] }, at(0));
    expect(firstExpiryMs(endless)).toBe(Number.POSITIVE_INFINITY);
    expect(nextDueMs(endless, undefined)).toBe(Number.POSITIVE_INFINITY);
  });

  test("asks only for tasks that are due within the slack", () => {
    expect(checkJob(known, undefined, { nowMs: 1000, slackMs: 0 }).leases).toEqual([]);
    const { leases } = checkJob(known, undefined, { nowMs: 30_000, slackMs: 6000 });
    expect(leases).toEqual([{ id: "db/1", path: "db/creds/app", durationMs: 60_000 }]);
  });

  test("goes back to an older version once every answer was older for a minute", () => {
    const older = { ...quiet, older: true };
    const behind = afterCheck(afterCheck(known, older, at(2000)), older, at(50_000));
    const ask = (knowledge: typeof known, nowMs: number) =>
      checkJob(knowledge, undefined, { nowMs, slackMs: 0 }).mayGoBack;
    expect(behind.checkedAtMs).toBe(1000);
    expect([ask(behind, 62_000), ask(behind, 62_001)]).toEqual([false, true]);
    expect(ask(afterCheck(behind, quiet, at(60_000)), 70_000)).toBe(false);
  });

  test("is a renewed lease's new life", () => {
    const renewed = { ...lease, ttlMs: 30_000 };
    const after = afterCheck(known, { ...quiet, renewedLeases: [renewed] }, at(40_000));
    expect(firstExpiryMs(after)).toBe(70_000);
  });

  test("keeps a lease that ends in mind, and renews it no more", () => {
    const ending = { id: "db/1", path: "db/creds/app", reason: "near its maximum" };
    const once = afterCheck(known, { ...quiet, endingLeases: [ending] }, at(40_000));
    const twice = afterCheck(once, quiet, at(41_000));
    expect(twice.ending).toEqual([ending]);
    expect(checkJob(twice, undefined, { nowMs: 60_000, slackMs: 0 }).leases).toEqual([]);
    expect(nextDueMs(twice, undefined)).toBe(Number.POSITIVE_INFINITY);
    expect(firstExpiryMs(twice)).toBe(61_000);
  });

  test("counts every lease as ending when the token was replaced", () => {
    const after = afterCheck(known, { ...quiet, loggedIn: true }, at(2000));
    expect(after.ending.map(({ id }) => id)).toEqual(["db/1"]);
  });

  test("keeps the old version until the program has the new one", () => {
    const watched = [{ path: "secret/data/app", version: 4, by: "metadata" } as const];
    expect(afterCheck(known, { ...quiet, watched, changed: true }, at(0)).watched).toEqual(
      state.watched,
    );
    expect(afterCheck(known, { ...quiet, watched }, at(0)).watched).toEqual(watched);
  });

  test("is as old as the last check that failed nowhere", () => {
    const failures = [{ code: "VAULT_FAILED", message: "x" } as const];
    expect(afterCheck(known, { ...quiet, failures }, at(9000)).checkedAtMs).toBe(1000);
    expect(afterCheck(known, quiet, at(9000)).checkedAtMs).toBe(9000);
  });
});

test("a fetch of which nothing was delivered leaves the leases as they are", () => {
  const fetched = { ...state, leases: [{ ...lease, id: "db/2" }], digest: "other" };
  const after = learnUnchanged(known, fetched, at(50_000));
  expect(after).toMatchObject({ digest: "other", checkedAtMs: 50_000 });
  expect(after.leases.map(({ id, expiresAtMs }) => [id, expiresAtMs])).toEqual([["db/1", 61_000]]);
});

describe("the token", () => {
  const care = (session: SessionHolder, nowMs: number) =>
    checkJob(known, session.token, { nowMs, slackMs: 0 }).token;

  test("of which nothing is known is looked up", () => {
    expect(care(new SessionHolder({ fd: -1, kind: "memfd" }, 0), 0)).toEqual({ kind: "look up" });
  });

  test("is left alone until two thirds of its time, and renewed then", () => {
    const session = new SessionHolder({ fd: -1, kind: "memfd" }, 0);
    session.learn({ ttlMs: 90_000, renewable: true, own: true }, 0, 1);
    expect(care(session, 59_000)).toEqual({ kind: "leave" });
    const renew = { kind: "renew", renewable: true, own: true, fullTtlMs: 90_000 } as const;
    expect(care(session, 60_000)).toEqual(renew);
  });

  test("is measured against the longest life that it had", () => {
    const session = new SessionHolder({ fd: -1, kind: "memfd" }, 0);
    session.learn({ ttlMs: 90_000, renewable: true, own: true }, 0, 1);
    session.learn({ ttlMs: 50_000, renewable: true, own: true }, 60_000, 1);
    expect(care(session, 100_000)).toMatchObject({ fullTtlMs: 90_000 });
  });

  test("without an end is left alone for ever", () => {
    const session = new SessionHolder({ fd: -1, kind: "memfd" }, 0);
    session.learn({ ttlMs: 0, renewable: false, own: false }, 0, 1);
    expect(care(session, Number.MAX_SAFE_INTEGER)).toEqual({ kind: "leave" });
    expect(session.token?.expiresAtMs).toBe(Number.POSITIVE_INFINITY);
  });
});
