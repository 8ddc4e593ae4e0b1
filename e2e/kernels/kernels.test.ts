import { describe, expect, test } from "bun:test";
import { listAttacks } from "@svc/testing";
import type { GuestResults } from "./guest/guest-results.ts";
import { pidOf } from "./guest/pid-of.ts";
import { guestKernels } from "./guest-kernels.ts";
import { goldenTable, tableOf } from "./kernel-table.ts";
import { runGuests } from "./run-guests.ts";

// All of them, unless told: GUESTS=debian-6.1,debian-6.12 bun test e2e/kernels
const wanted = process.env["GUESTS"]?.split(",") ?? guestKernels.map(({ name }) => name);
const guests = guestKernels.filter(({ name }) => wanted.includes(name));
const results = await runGuests(guests);
for (const [name, { release, seconds }] of results) {
  const took = Object.entries(seconds).map(([part, time]) => `${part} ${time} s`);
  process.stdout.write(`${name}: Linux ${release}: ${took.join(", ")}\n`);
}

for (const { name, tier } of guests) {
  const found = resultsOf(name);
  const golden = goldenTable(name);

  describe(`on ${name} the agent`, () => {
    test(`sees by ${tier}`, () => {
      expect(found.readiness.status).toBe(200);
      expect(found.status.tier).toBe(tier);
    });

    test("says what sees what, what is unseen, and what the kernel refused", () => {
      const { kernel, attacks } = golden;
      expect({ ...tableOf(found), kernel, attacks }).toEqual(golden);
    });

    test("has no word about a busy system", () => {
      expect(found.noise).toEqual([]);
    });

    test("tells of who reaches for a wrapper's program, and not of the wrapper", () => {
      const { program, attackers, records, log } = found.wrapped;
      const actors = records.map(pidOf);
      expect({ actors, log }).toEqual({ actors: [...attackers], log });
      expect(records.at(-1)).toMatchObject({
        kind: "process_vm_readv",
        mechanism: tier,
        target: { pid: program, registration: { rung: "inject", keyCount: 2 } },
      });
    });

    test("has lost no event, and understood all", () => {
      const { lost, unreadable } = found.statusAfter.rings;
      expect({ lost: lost.violations, unreadable }).toEqual({ lost: 0, unreadable: 0 });
    });

    test("tells of nobody but attackers", () => {
      const attackers = Object.values(found.attacks).map(({ attacker }) => attacker);
      expect(found.seen.filter((record) => !attackers.includes(Number(pidOf(record))))).toEqual([]);
    });
  });

  describe(`on ${name} what is seen of`, () => {
    const { attacks } = tableOf(found);
    for (const attack of listAttacks()) {
      test(attack.name, () => {
        expect(attacks[attack.name]).toEqual(golden.attacks[attack.name]);
      });
    }

    test("and of no other attack", () => {
      expect(Object.keys(golden.attacks)).toEqual(listAttacks().map((attack) => attack.name));
    });
  });
}

function resultsOf(name: string): GuestResults {
  const found = results.get(name);
  if (found === undefined) throw new TypeError(`${name} has not been run`);
  return found;
}
