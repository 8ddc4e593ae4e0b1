import { describe, expect, test } from "bun:test";
import { listAttacks, listTampers } from "@svc/testing";
import { isAbout, processesOf } from "../harness/agent/is-about.ts";
import { pidOf } from "../harness/agent/pid-of.ts";
import type { PrintedRecord } from "../harness/agent/running-agent.ts";
import { expectedOfTokens } from "../harness/agent/token-story.ts";
import type { EnforcedSight } from "./enforced-table.ts";
import type { GuestResults } from "./guest/guest-results.ts";
import { guestKernels } from "./guest-kernels.ts";
import { goldenTable, tableOf } from "./kernel-table.ts";
import { runGuests } from "./run-guests.ts";
import { testSurvival } from "./survival-tests.ts";

// By default all of them. To choose: GUESTS=debian-6.1,debian-6.12 bun test e2e/kernels
const wanted = process.env["GUESTS"]?.split(",") ?? guestKernels.map(({ name }) => name);
const guests = guestKernels.filter(({ name }) => wanted.includes(name));
const results = new Map<string, GuestResults>();
const failure = await runGuests(guests, (name, found) => results.set(name, found)).then(
  () => undefined,
  (error: unknown) => error,
);
for (const [name, { release, seconds }] of results) {
  const took = Object.entries(seconds).map(([part, time]) => `${part} ${time} s`);
  process.stdout.write(`${name}: Linux ${release}: ${took.join(", ")}\n`);
}

test("each guest tells its results", () => {
  if (failure !== undefined) throw failure;
});

for (const { name, tier, stopsBy = tier } of guests) {
  const found = results.get(name);
  if (found === undefined) continue;
  const golden = goldenTable(name);

  describe(`on ${name} the agent`, () => {
    test(`sees by ${tier}`, () => {
      expect(found.readiness.status).toBe(200);
      expect(found.status.tier).toBe(tier);
    });

    test("could load every program of the tier tracing", () => {
      expect(found.refusedOnTracing).toEqual([]);
    });

    test("lists which program sees which kind, the unseen kinds, and the refused programs", () => {
      const { kernel, attacks, tampers } = golden;
      expect({ ...tableOf(found), kernel, attacks, tampers }).toEqual(golden);
    });

    test("has no word about a busy system", () => {
      expect(found.noise).toEqual([]);
    });

    test("reports a process that reaches for a wrapper's program, and not the wrapper", () => {
      const { program, attackers, records, log } = found.wrapped;
      const actors = records.map(pidOf);
      expect({ actors, log }).toEqual({ actors: [...attackers], log });
      expect(records.at(-1)).toMatchObject({
        kind: "process_vm_readv",
        mechanism: tier,
        target: { pid: program, registration: { delivery: "inject", keyCount: 2 } },
      });
    });

    test("reports each process that opens a token's file, except for wrapper and kubelet", () => {
      const { reported, records, told, token } = found.tokens;
      expect(reported).toEqual(expectedOfTokens);
      expect(new Set(records.map(({ mechanism }) => mechanism))).toEqual(new Set([tier]));
      expect(told).not.toContain(token);
    });

    test("has lost no event, and understood all", () => {
      const { lost, unreadable } = found.statusAfter.rings;
      expect({ lost: lost.violations, unreadable }).toEqual({ lost: 0, unreadable: 0 });
    });

    test("reports only attackers", () => {
      const attacks = Object.values(found.attacks);
      // An accomplice that maps an attacker's descriptor is a child of a process that waits for all
      // (CLONE_PARENT).
      const isAccomplice = ({ kind, actor }: PrintedRecord & { readonly actor?: unknown }) =>
        kind === "secret_descriptor" && JSON.stringify(actor).includes('"name":"svc-attack"');
      const isKnown = (record: PrintedRecord): boolean =>
        isAccomplice(record) || attacks.some((attack) => isAbout(processesOf(record), attack));
      expect(found.seen.filter((record) => !isKnown(record))).toEqual([]);
    });
  });

  describe(`on ${name} the sight of`, () => {
    const { attacks } = tableOf(found);
    for (const attack of listAttacks()) {
      if (attack.isRace) continue;
      test(attack.name, () => {
        const { enforced: _, ...sight } = attacks[attack.name] ?? {};
        const { enforced: __, ...expected } = golden.attacks[attack.name] ?? {};
        expect(sight).toEqual(expected);
      });
    }

    test("and of no other attack", () => {
      expect(Object.keys(golden.attacks)).toEqual(listAttacks().map((attack) => attack.name));
    });
  });

  describe(`on ${name} an agent that enforces`, () => {
    test(`stops by ${stopsBy}`, () => {
      expect(found.enforced.status.tier).toBe(stopsBy);
    });

    test("says how many of the killed processes had the secret by then", () => {
      // Files that io_uring reads are a separate row; in no other row an attacker has got a
      // byte.
      const killed = Object.entries(golden.attacks).flatMap(([attack, { enforced }]) =>
        enforced.outcome === "killed" ? [{ attack, leaked: enforced.leaked }] : [],
      );
      const leaked = Math.max(0, ...killed.map((found) => found.leaked));
      const { process_file_by_ring: byRing, ...others } = found.enforced.status.leakWindows;
      expect(byRing?.hadIt ?? 0).toBe(leaked);
      expect(Object.values(others).filter(({ hadIt }) => hadIt > 0)).toEqual([]);
      const leaking = killed.filter((found) => found.leaked > 0);
      expect(leaking.filter(({ attack }) => !attack.startsWith("io-uring-"))).toEqual([]);
    });

    test("refuses nothing that a busy system does", () => {
      expect(found.enforced.neighbours).toEqual(found.neighbours);
    });
  });

  describe(`on ${name} an agent that enforces lets a container runtime do its work`, () => {
    for (const [runtime, { steps, told }] of Object.entries(found.enforced.containers)) {
      test(runtime, () => {
        const ok = Object.fromEntries(Object.keys(steps).map((step) => [step, "ok"]));
        expect(steps).toEqual(ok);
        // Events of a process that the runtime has let into the container, not of the runtime.
        expect(new Set(told)).toEqual(new Set(["process_file maps by busybox"]));
      });
    }
  });

  if (found.survival) testSurvival(name, found.survival);

  describe(`on ${name} an agent that enforces is as the table says about`, () => {
    const { attacks, tampers } = tableOf(found);
    for (const attack of listAttacks()) {
      const { outcome } = golden.attacks[attack.name]?.enforced ?? {};
      // If it is refused there is nothing to race for.
      if (attack.isRace && outcome !== "blocked") continue;
      test(attack.name, () => {
        const [sight, expected] = [attacks, golden.attacks].map((all) => all[attack.name]);
        expect(withoutLuck(sight?.enforced)).toEqual(withoutLuck(expected?.enforced));
      });
    }
    for (const tamper of listTampers()) {
      test(tamper.name, () => {
        expect(tampers[tamper.name]).toEqual(golden.tampers[tamper.name]);
      });
    }
  });
}

/** The bytes that leave before a kill differ from run to run. A refusal lets none leave. */
function withoutLuck(sight: EnforcedSight | undefined): unknown {
  return sight?.outcome === "killed" ? { ...sight, leaked: "some or none" } : sight;
}
