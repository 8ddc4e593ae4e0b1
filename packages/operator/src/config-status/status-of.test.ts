import { describe, expect, test } from "bun:test";
import { makeGeneration } from "../certificates/make-generation.ts";
import { goldenOperator } from "../inject/testdata/golden-pods.ts";
import type { SvcConfigSpec } from "../svc-config/svc-config.ts";
import { type WatchedConfig, watchedConfig } from "../svc-config/watched-config.ts";
import { eventOf } from "./config-events.ts";
import type { ConfigContext } from "./judge-config.ts";
import { type ConfigStatus, statusOf } from "./status-of.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const DAY_MS = 86_400_000;
const address = "https://vault.example:8200";
const other = "https://other.example:8200";

function config(spec: unknown, status?: unknown, name = "web"): WatchedConfig {
  const metadata = { namespace: "shop", name, uid: name, resourceVersion: "7", generation: 3 };
  const watched = watchedConfig({ metadata, spec, status });
  if (watched === undefined) throw new TypeError("it has a name");
  return watched;
}

const context = (more: Partial<ConfigContext> = {}): ConfigContext => ({
  ...{ operator: { ...goldenOperator, allowedAddresses: [] }, inNamespace: [], nowMs: NOW },
  ...more,
});
const only = (...allowedAddresses: readonly string[]) =>
  context({ operator: { ...goldenOperator, allowedAddresses } });

async function ca(days: number): Promise<string> {
  const wanted = { names: ["vault"], lifeMs: days * DAY_MS, nowMs: NOW };
  return (await makeGeneration(wanted)).authorityPem;
}

const plain: SvcConfigSpec = {
  ...{ vaultAddress: address, vaultRole: "app", vaultAuthMethod: "kubernetes" },
  ...{ secretPaths: ["kv/data/app"], envMap: "password=DB_PASSWORD" },
};
const long = await ca(300);
const [soon, gone] = [await ca(10), await ca(-1)];
const broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

describe("a SvcConfig", () => {
  /** The status of each side, and of Ready: `Type=reason` with a minus if it is bad. */
  const rows: readonly (readonly [string, unknown, ConfigContext, readonly string[]])[] = [
    [
      "that can be used is ready",
      plain,
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed"],
    ],
    [
      "that says nothing is ready",
      {},
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=NoAddress"],
    ],
    [
      "that the definition should have refused is not",
      { ...plain, rotation: "retsart" },
      context(),
      ["-Ready=Invalid", "-Valid=Invalid", "AddressAllowed=Allowed"],
    ],
    [
      "of the wrong kinds is not",
      { vaultAddress: 1 },
      context(),
      ["-Ready=Unreadable", "-Valid=Unreadable", "-AddressAllowed=Unreadable"],
    ],
    [
      "whose fields contradict each other is not",
      { ...plain, envMap: "a=A;b=B" },
      context(),
      ["-Ready=Invalid", "-Valid=Invalid", "AddressAllowed=Allowed"],
    ],
    [
      "with a token that no method asks for is not",
      { ...plain, tokenSecretRef: { name: "t" } },
      context(),
      ["-Ready=Invalid", "-Valid=Invalid", "AddressAllowed=Allowed"],
    ],
    [
      "with a token for its method is",
      { ...plain, vaultAuthMethod: "token", tokenSecretRef: { name: "t" } },
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed"],
    ],
    [
      "whose address the operator does not allow is not",
      plain,
      only(other),
      ["-Ready=NotAllowed", "Valid=Valid", "-AddressAllowed=NotAllowed"],
    ],
    [
      "whose address it allows is",
      plain,
      only(other, address),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed"],
    ],
    [
      "whose address is plain http is not",
      { ...plain, vaultAddress: "http://vault.test:8200" },
      context(),
      ["-Ready=NotAllowed", "Valid=Valid", "-AddressAllowed=NotAllowed"],
    ],
    [
      "whose own list forbids its address is not",
      { ...plain, allowedAddresses: [other] },
      context(),
      ["-Ready=NotAllowed", "Valid=Valid", "-AddressAllowed=NotAllowed"],
    ],
    [
      "with an invalid address is not",
      { ...plain, vaultAddress: "vault:8200" },
      only(other),
      ["-Ready=Invalid", "-Valid=Invalid", "-AddressAllowed=Invalid"],
    ],
    [
      "with good certificates is",
      { ...plain, caBundle: long },
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed", "CertificatesValid=Valid"],
    ],
    [
      "whose certificates end soon is",
      { ...plain, caBundle: gone + soon },
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed", "CertificatesValid=ExpiresSoon"],
    ],
    [
      "some of whose certificates have expired is",
      { ...plain, caBundle: gone + long },
      context(),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed", "CertificatesValid=SomeExpired"],
    ],
    [
      "all of whose certificates have expired is not",
      { ...plain, caBundle: gone },
      context(),
      ["-Ready=Expired", "Valid=Valid", "AddressAllowed=Allowed", "-CertificatesValid=Expired"],
    ],
    [
      "with one that cannot be read is not",
      { ...plain, caBundle: long + broken },
      context(),
      [
        "-Ready=Unreadable",
        "Valid=Valid",
        "AddressAllowed=Allowed",
        "-CertificatesValid=Unreadable",
      ],
    ],
    [
      "whose pods another one selects as well is ready, and says so",
      { ...plain, selector: { matchLabels: { app: "web" } } },
      context({
        inNamespace: [config({ selector: {} }, undefined, "all"), config({}, undefined, "none")],
      }),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed", "-SelectorUnique=Overlaps"],
    ],
    [
      "whose pods no other one selects says that",
      { ...plain, selector: { matchLabels: { app: "web" } } },
      context({ inNamespace: [config({ selector: {} })] }),
      ["Ready=Usable", "Valid=Valid", "AddressAllowed=Allowed", "SelectorUnique=Unique"],
    ],
  ];
  for (const [name, spec, given, expected] of rows) {
    test(name, () => {
      const status = statusOf(config(spec), given, undefined);
      const said = status.conditions.map(
        ({ type, status: is, reason }) => `${is === "True" ? "" : "-"}${type}=${reason}`,
      );
      expect(said).toEqual([...expected]);
      expect(status.ready).toBe(!expected[0]?.startsWith("-"));
      expect(status.message).toBe(status.conditions[0]?.message ?? "");
    });
  }

  test("names problems by field", () => {
    const { message } = statusOf(config({ ...plain, rotation: "retsart" }), only(other), undefined);
    expect(message).toBe('rotation: must be one of restart, sighup, none: got "retsart"');
    const denied = statusOf(config(plain), only(other), undefined);
    expect(denied.message).toBe(
      `vaultAddress: must be one of the allowed addresses, ${other}: got "${address}"`,
    );
  });
});

describe("a status", () => {
  const first = statusOf(config(plain), context(), 2);
  const later = (ms: number, more: Partial<ConfigContext> = {}) =>
    context({ nowMs: NOW + ms, ...more });

  test("has all that the definition says", () => {
    expect(first).toEqual({
      ready: true,
      message: "pods can use it",
      observedGeneration: 3,
      lastValidated: "2026-06-01T00:00:00Z",
      injectedPods: 2,
      conditions: [
        {
          ...{ type: "Ready", status: "True", observedGeneration: 3, reason: "Usable" },
          ...{ lastTransitionTime: "2026-06-01T00:00:00Z", message: "pods can use it" },
        },
        expect.objectContaining({ type: "Valid" }),
        expect.objectContaining({ type: "AddressAllowed" }),
      ],
    });
  });

  test("that is right is left as it is for an hour", () => {
    const has = config(plain, first);
    expect(statusOf(has, later(3_599_000), 2)).toEqual(first);
    expect(statusOf(has, later(3_600_000), 2)).toEqual({
      ...first,
      lastValidated: "2026-06-01T01:00:00Z",
    });
  });

  test("keeps its count until the first count", () => {
    expect(statusOf(config(plain, first), later(1000), undefined)).toEqual(first);
    expect(statusOf(config(plain, first), later(1000), 0).injectedPods).toBe(0);
    expect("injectedPods" in statusOf(config(plain), context(), undefined)).toBe(false);
  });

  test("keeps since when a condition holds", () => {
    const has = config({ ...plain, rotation: "retsart" }, first);
    const { conditions } = statusOf(has, later(1000), 2);
    expect(
      conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime.slice(-4)]),
    ).toEqual([
      ["Ready", ":01Z"],
      ["Valid", ":01Z"],
      ["AddressAllowed", ":00Z"],
    ]);
  });

  test("of another make is replaced", () => {
    for (const status of [null, "x", {}, { ready: true, conditions: [{ type: "Ready" }] }]) {
      expect(statusOf(config(plain, status), context(), 2)).toEqual(first);
    }
  });
});

describe("an event is sent", () => {
  const good = statusOf(config(plain), context(), undefined);
  const bad = statusOf(config({ ...plain, rotation: "x" }), context(), undefined);
  const worse = statusOf(config({ ...plain, rotation: "y" }), context(), undefined);
  const rows: readonly (readonly [
    string,
    ConfigStatus | undefined,
    ConfigStatus,
    string | undefined,
  ])[] = [
    ["for a new one that cannot be used", undefined, bad, "Warning Invalid"],
    ["for one that cannot be used any more", good, bad, "Warning Invalid"],
    ["for another reason", bad, worse, "Warning Invalid"],
    ["for one that can be used again", bad, good, "Normal Usable"],
    ["not for a new one that can be used", undefined, good, undefined],
    ["not again for the same", bad, { ...bad, injectedPods: 1 }, undefined],
    ["not for a state that stays good", good, { ...good, injectedPods: 1 }, undefined],
  ];
  for (const [name, before, after, expected] of rows) {
    test(name, () => {
      const event = eventOf(before, after);
      expect(event && `${event.type} ${event.reason}`).toBe(expected);
    });
  }
});
