import { expect, test } from "bun:test";
import type { ReadOutcome } from "@svc/vault";
import { recordLog } from "../http/testdata/record-log.ts";
import type { SecretSource } from "../settings.ts";
import { read, source, unread } from "../testdata/outcomes.ts";
import { warnOfLarge, warnOfUnleased } from "./delivery-warnings.ts";

const large = "128 KiB is the most for a variable, and BIG has more";
const messages = (lines: readonly Record<string, unknown>[]) =>
  lines.map(({ level, message, hint }) => [level, message, hint]);

test.each([
  ["inject", large, 1],
  ["inject", undefined, 0],
  ["preload", large, 0],
  ["library", large, 0],
  ["env", large, 0],
] as const)("a delivery by %s warns of values that are large: %p", (delivery, problem, count) => {
  const { log, lines } = recordLog();
  warnOfLarge({ delivery }, problem, log);
  expect(messages(lines)).toEqual(
    Array.from({ length: count }, () => [
      "warn",
      `the program can start no other one (Argument list too long): ${large}`,
      "use SVC_DELIVERY=preload or the Go library, or give this program a smaller value",
    ]),
  );
});

const lease = { id: "db/1", durationMs: 60_000, renewable: true };
const leased = (outcome: ReadOutcome): ReadOutcome =>
  outcome.ok ? { ...outcome, secret: { ...outcome.secret, lease } } : outcome;
const db: SecretSource = { ...source("db/creds/app"), engine: "dynamic" };

test.each([
  ["a dynamic secret without a lease", db, read("db/creds/app", { user: "a" }), 1],
  ["a dynamic secret with one", db, leased(read("db/creds/app", { user: "a" })), 0],
  ["a dynamic secret that was not read", db, unread("db/creds/app"), 0],
  ["a secret of KV", source("secret/app"), read("secret/app", { user: "a" }), 0],
] as const)("%s is warned of: %p", (_, one, outcome, count) => {
  const { log, lines } = recordLog();
  warnOfUnleased({ sources: [one], outcomes: [outcome] }, log);
  const text =
    "dynamic:db/creds/app came without a lease: it is neither renewed nor looked at again";
  expect(messages(lines)).toEqual(Array.from({ length: count }, () => ["warn", text, undefined]));
});
