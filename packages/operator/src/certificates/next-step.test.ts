import { describe, expect, test } from "bun:test";
import type { Authority, Generation } from "./generation.ts";
import { KeyPem } from "./key-pem.ts";
import { type KnownCertificates, nextStep, type RotationStep } from "./next-step.ts";
import { noCertificates, type Slot } from "./stored-certificates.ts";
import { DAY_MS, rules } from "./testdata/rotation-context.ts";
import { trustClock } from "./trust-clock.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const empty: Slot = { kind: "empty" };
const spoilt: Slot = { kind: "spoilt", problem: "the private key is not one in PEM" };

function authority(id: string, days = 30, isOwn = true): Authority {
  return { id: `ca-${id}`, pem: "", expiresMs: NOW + days * DAY_MS, isOwn };
}

function generation(id: string, days = 30, names = rules.names): Generation {
  const expiresMs = NOW + days * DAY_MS;
  const key = new KeyPem("");
  return { id, certificatePem: "", key, authority: authority(id, days), names, expiresMs };
}

const slot = (...given: Parameters<typeof generation>): Slot => ({
  kind: "usable",
  generation: generation(...given),
});
const trust = (...authorities: readonly Authority[]) => ({ authorities, hasOther: false });
const known = (more: Partial<KnownCertificates>): KnownCertificates => ({
  ...{ stored: noCertificates, trusts: [trust()], trustedForMs: 0, nowMs: NOW },
  ...more,
});
const held = (current: Slot, next: Slot = empty, old: readonly Authority[] = []) => ({
  current,
  next,
  old,
});
const make = (reason: string): RotationStep => ({ kind: "make", reason });
const promote = (stored: KnownCertificates["stored"]): RotationStep => ({
  kind: "promote",
  stored,
});

describe("the next step is", () => {
  const [a, b] = [authority("00:a"), authority("00:b")];
  const rows: readonly (readonly [string, KnownCertificates, RotationStep])[] = [
    ["to make the first certificate", known({}), make("there is none")],
    [
      "to have it trusted",
      known({ stored: held(empty, slot("00:b")) }),
      { kind: "publish", authorities: [b] },
    ],
    [
      "to serve it at once, because no replica serves one",
      known({ stored: held(empty, slot("00:b")), trusts: [trust(b)] }),
      promote(held(slot("00:b"))),
    ],
    [
      "to wait until a third of its life is left",
      known({ stored: held(slot("00:a")), trusts: [trust(a)] }),
      { kind: "wait", ms: 20 * DAY_MS },
    ],
    [
      "to look soon if there is no webhook yet",
      known({ stored: held(slot("00:a")), trusts: [] }),
      { kind: "wait", ms: 1000 },
    ],
    [
      "to make the next one when a third is left",
      known({ stored: held(slot("00:a", 9)), trusts: [trust(authority("00:a", 9))] }),
      make("a third of its life is left"),
    ],
    [
      "to make one for another name",
      known({ stored: held(slot("00:a", 30, ["other.svc"])), trusts: [trust(a)] }),
      make("it is not for svc-operator.svc-system.svc"),
    ],
    [
      "to have both trusted",
      known({ stored: held(slot("00:a", 9), slot("00:b")), trusts: [trust(authority("00:a", 9))] }),
      { kind: "publish", authorities: [authority("00:a", 9), b] },
    ],
    [
      "to wait for the overlap",
      known({
        stored: held(slot("00:a", 9), slot("00:b")),
        trusts: [trust(authority("00:a", 9), b)],
        trustedForMs: rules.overlapMs - 1,
      }),
      { kind: "wait", ms: 1 },
    ],
    [
      "to serve the next one after it, and to trust the old one on",
      known({
        stored: held(slot("00:a", 9), slot("00:b")),
        trusts: [trust(authority("00:a", 9), b)],
        trustedForMs: rules.overlapMs,
      }),
      promote(held(slot("00:b"), empty, [authority("00:a", 9)])),
    ],
    [
      "not to wait for an expired one",
      known({ stored: held(slot("00:a", -1), slot("00:b")), trusts: [trust(b)] }),
      promote(held(slot("00:b"))),
    ],
    [
      "to make another one if the next one has grown old itself",
      known({ stored: held(slot("00:a", 1), slot("00:b", 9)) }),
      make("a third of its life is left"),
    ],
    [
      "to make another one if the next one is spoilt",
      known({ stored: held(slot("00:a", 1), spoilt), trusts: [trust(authority("00:a", 1))] }),
      make("a third of its life is left"),
    ],
    [
      "to drop an authority that has expired",
      known({
        stored: held(slot("00:a"), empty, [authority("o", -1)]),
        trusts: [trust(a, authority("o", -1))],
      }),
      { kind: "publish", authorities: [a] },
    ],
    [
      "to restore trust after an overwritten bundle, in one of two webhooks",
      known({ stored: held(slot("00:a")), trusts: [trust(a), trust()] }),
      { kind: "publish", authorities: [a] },
    ],
    [
      "to remove foreign authorities",
      known({ stored: held(slot("00:a")), trusts: [{ authorities: [a], hasOther: true }] }),
      { kind: "publish", authorities: [a] },
    ],
    [
      "to keep authorities that only the webhook has, if the Secret is lost",
      known({ trusts: [trust(a, authority("o", -1), authority("foreign", 9, false))] }),
      { kind: "remember", stored: held(empty, empty, [a]) },
    ],
    [
      "the same if it is spoilt and the next one is there",
      known({ stored: held(spoilt, slot("00:b")), trusts: [trust(a, b)] }),
      { kind: "remember", stored: held(spoilt, slot("00:b"), [a]) },
    ],
    [
      "to make one in place of a spoilt one, once that is remembered",
      known({ stored: held(spoilt, empty, [a]), trusts: [trust(a)] }),
      make("the private key is not one in PEM"),
    ],
    [
      "to wait a little then, because replicas keep their certificate",
      known({
        stored: held(spoilt, slot("00:b"), [a]),
        trusts: [trust(b, a)],
        trustedForMs: 10_000,
      }),
      { kind: "wait", ms: 20_000 },
    ],
  ];
  for (const [name, given, step] of rows) {
    test(name, () => expect(nextStep(given, rules)).toEqual(step));
  }
});

test("certificates that were made at one time are not all replaced at one time", () => {
  const waits = ["00:00:00:00", "80:00:00:00", "ff:ff:ff:ff"].map((id) => {
    const { authority: own } = generation(id);
    const step = nextStep(known({ stored: held(slot(id)), trusts: [trust(own)] }), rules);
    return step.kind === "wait" ? step.ms / DAY_MS : undefined;
  });
  expect(waits).toEqual([20, 19.25, expect.closeTo(18.5)]);
});

test("an authority is trusted for as long as all webhooks have been seen to trust it", () => {
  let nowMs = 0;
  const trustedFor = trustClock(() => nowMs);
  const [a, b] = [authority("a"), authority("b")];
  const looks: readonly (readonly [
    at: number,
    next: Slot,
    trusts: readonly Authority[][],
    ms: number,
  ])[] = [
    [0, empty, [[]], 0],
    [10, slot("b"), [[a]], 0],
    [20, slot("b"), [[a, b], [a]], 0],
    [30, slot("b"), [[a, b], [b]], 0],
    [90, slot("b"), [[a, b], [b]], 60],
    // Another client has overwritten one of them.
    [95, slot("b"), [[a], [b]], 0],
    [99, slot("b"), [[a, b], [b]], 0],
    [100, slot("b"), [[a, b], [b]], 1],
    // Another one was made.
    [110, slot("a"), [[a, b], [a]], 0],
  ];
  for (const [at, next, trusts, ms] of looks) {
    nowMs = at;
    expect([
      at,
      trustedFor(
        next,
        trusts.map((one) => trust(...one)),
      ),
    ]).toEqual([at, ms]);
  }
});
