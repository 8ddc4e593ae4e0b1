import { describe, expect, test } from "bun:test";
import type { LogLevel } from "@svc/logging";
import { certificateAuthority, waitFor } from "@svc/testing";
import type { Trust } from "./try-trust.ts";
import { endsSoon, type TrustFinding, watchOwnWebhook } from "./watch-own-webhook.ts";
import type { OwnWebhook } from "./webhook-trust.ts";

const DAY_MS = 24 * 3_600_000;
const authority = await certificateAuthority("svc test CA");
const { certificatePem } = await authority.issue({ expiresMs: Date.now() + 10 * DAY_MS });
const own: OwnWebhook = {
  ...{ configuration: "svc-operator", uid: "u", name: "inject.svc.internal", index: 0 },
  ...{ resourceVersion: "1", bundle: "PEM", authorities: [], hasOther: false },
};
const where = 'webhook "inject.svc.internal" of configuration "svc-operator"';

/** The watch, of which each look finds the next state; the last one stays. */
async function watched(
  looks: readonly (() => { readonly own: readonly OwnWebhook[]; readonly trust?: Trust })[],
  { served = certificatePem }: { readonly served?: string } = {},
) {
  const lines: string[] = [];
  const told: TrustFinding[] = [];
  const refusals: (string | undefined)[] = [];
  const ended = new AbortController();
  let state: ReturnType<(typeof looks)[number]> = { own: [] };
  let count = 0;
  const watch = watchOwnWebhook({
    served: () => {
      if (count > 0) refusals.push(watch.refused());
      return served;
    },
    webhooks: {
      read: async () => {
        count += 1;
        const look = looks[Math.min(count, looks.length) - 1];
        if (look !== undefined) state = look();
        return state.own;
      },
    },
    tryTrust: async () => state.trust ?? { kind: "trusted" },
    log: (level: LogLevel, message: string) => void lines.push(`${level}: ${message}`),
    tell: async (finding) => void told.push(finding),
    times: { calmMs: 1, troubleMs: 1 },
  });
  const following = watch.follow(ended.signal);
  await waitFor(() => refusals.length >= looks.length, {
    deadlineMs: 10_000,
    what: "the looks to be over",
  });
  ended.abort();
  await following;
  return { lines, told, refusals: refusals.slice(0, looks.length) };
}

const trusted = () => ({ own: [own] });
const refused = () => ({ own: [own], trust: { kind: "refused", why: "unknown CA" } as const });
const silent = () => ({ own: [own], trust: { kind: "unknown", why: "no answer" } as const });
const unread = (): never => {
  throw new TypeError("read mutatingwebhookconfiguration: status 403");
};
const note = `API servers refuse this replica for ${where}: unknown CA`;

describe("the watch on the own webhook", () => {
  test("is content if its certificate is trusted, or nothing calls the service", async () => {
    const seen = await watched([trusted, () => ({ own: [] }), trusted]);
    expect(seen).toEqual({ lines: [], told: [], refusals: [undefined, undefined, undefined] });
  });

  test("says once that it is refused, and why, and takes it back", async () => {
    const seen = await watched([refused, refused, trusted]);
    expect(seen.refusals).toEqual([note, note, undefined]);
    expect(seen.lines).toEqual([`error: ${note}`]);
    expect(seen.told).toMatchObject([
      { reason: "WebhookRefused", configuration: "svc-operator", uid: "u", note },
    ]);
  });

  test("is refused by a webhook without a CA bundle", async () => {
    const { refusals } = await watched([() => ({ own: [{ ...own, bundle: "" }] })]);
    expect(refusals).toEqual([`API servers refuse this replica for ${where}: it has no CA bundle`]);
  });

  test("keeps its word while it can look at nothing", async () => {
    const seen = await watched([refused, silent, unread, trusted, silent, unread]);
    expect(seen.refusals).toEqual([note, note, note, undefined, undefined, undefined]);
    expect(seen.lines).toEqual([
      `error: ${note}`,
      "warn: look at the own webhook: no answer",
      "warn: look at the own webhook: read mutatingwebhookconfiguration: status 403",
      "warn: look at the own webhook: no answer",
      "warn: look at the own webhook: read mutatingwebhookconfiguration: status 403",
    ]);
  });

  test("says that a renewal is late", async () => {
    const { certificatePem: old } = await authority.issue({ expiresMs: Date.now() + 1000 });
    const seen = await watched([trusted, trusted], { served: old });
    expect(seen.lines).toEqual([expect.stringContaining("and nothing has renewed it")]);
    expect(seen.told).toMatchObject([{ reason: "CertificateEnds" }]);
    expect(seen.refusals).toEqual([undefined, undefined]);
  });
});

// The authority of tests lets a certificate begin a day ago.
test.each([
  ["three quarters are over", 9 * DAY_MS, "ends at"],
  ["it has ended", 11 * DAY_MS, "ends at"],
  ["a third of its life is left", 6.3 * DAY_MS, undefined],
  ["it has just begun", 0, undefined],
])("a renewal is late or not: %s", (_name, laterMs, word) => {
  const said = endsSoon(certificatePem, Date.now() + laterMs);
  if (word === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(word);
});
