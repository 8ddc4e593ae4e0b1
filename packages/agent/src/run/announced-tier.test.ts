import { describe, expect, test } from "bun:test";
import type { Capabilities } from "../monitor/capabilities.ts";
import { stopPolicy } from "../monitor/stop-policy.ts";
import { stopsOf } from "../monitor/stop-rows.ts";
import type { EnforcementTierName } from "../registration/tier-source.ts";
import { announcedTier } from "./announced-tier.ts";

const used = { state: "used" } as const;
const refused = { state: "refused", reason: "the kernel is too old" } as const;
const unused = { state: "unused", reason: "a better one is there" } as const;
const mechanisms = { lsm: used, fmod_ret: unused, override: refused, tracing: unused };

type Tier = Capabilities["tier"];
const off = { enforce: false, enforceNode: true, reactiveKill: false };
const on = { enforce: true, enforceNode: true, reactiveKill: true };
const wontKill = { ...on, reactiveKill: false };
const onlyPrograms = { ...on, enforceNode: false };
const onlyKill = { ...off, reactiveKill: true };

describe("announcedTier", () => {
  const rows: readonly (readonly [
    name: string,
    settings: typeof on,
    tiers: Readonly<Record<Tier, EnforcementTierName>>,
  ])[] = [
    [
      "without ENFORCE_MODE",
      off,
      { lsm: "detect", fmod_ret: "detect", override: "tracing", tracing: "tracing", none: "none" },
    ],
    [
      "with ENFORCE_MODE",
      on,
      { lsm: "enforce", fmod_ret: "enforce", override: "enforce", tracing: "kill", none: "none" },
    ],
    [
      "with ENFORCE_MODE and without REACTIVE_KILL",
      wontKill,
      {
        ...{ lsm: "enforce", fmod_ret: "enforce", override: "enforce" },
        ...{ tracing: "tracing", none: "none" },
      },
    ],
    [
      "with ENFORCE_MODE for programs alone",
      onlyPrograms,
      { lsm: "enforce", fmod_ret: "enforce", override: "enforce", tracing: "kill", none: "none" },
    ],
    [
      "with REACTIVE_KILL alone",
      onlyKill,
      { lsm: "detect", fmod_ret: "detect", override: "tracing", tracing: "tracing", none: "none" },
    ],
  ];
  for (const [name, settings, tiers] of rows) {
    test(`matches the kernel's abilities ${name}`, () => {
      const policy = stopPolicy(settings);
      const found = Object.keys(tiers).map((tier) => {
        // The keys of a record of tiers.
        const facts = {
          tier: tier as Tier,
          policy,
          seen: {},
          knowsInodes: true,
          readsKernel: true,
          seesMemory: true,
          killsSharers: true,
        };
        const { enforcement } = stopsOf(facts);
        return [tier, announcedTier({ tier: facts.tier, enforcement, mechanisms }).enforcement];
      });
      expect(Object.fromEntries(found)).toEqual(tiers);
    });
  }

  test("names each mechanism, whether it could be used, and why it is not", () => {
    const { capabilities } = announcedTier({ tier: "lsm", enforcement: "refuse", mechanisms });
    expect(capabilities).toEqual([
      { mechanism: "lsm", available: true },
      { mechanism: "fmod_ret", available: true, reason: unused.reason },
      { mechanism: "override", available: false, reason: refused.reason },
      { mechanism: "tracing", available: true, reason: unused.reason },
    ]);
  });
});
