import { describe, expect, test } from "bun:test";
import type { Authority, Generation } from "./generation.ts";
import { trusted } from "./next-step.ts";
import { noCertificates, type StoredCertificates } from "./stored-certificates.ts";
import { DAY_MS, RotationWorld, rules } from "./testdata/rotation-world.ts";
import { type SeededRandom, seededRandom } from "./testdata/seeded-random.ts";

const HISTORIES = 300;
const EVENTS = 400;
const MINUTE_MS = 60_000;

/** Something that may happen, and how often. */
type Event = readonly [weight: number, (world: RotationWorld, random: SeededRandom) => unknown];

const answerOne: Event = [
  60,
  (world, random) => {
    const leader = random.pick(world.leaders.filter(({ isHalted }) => !isHalted));
    return leader && world.answer(leader);
  },
];

const usual: readonly Event[] = [
  answerOne,
  [3, (world) => world.leaders.length < 3 && world.startLeader()],
  [
    2,
    (world, random) => {
      const leader = random.pick(world.leaders);
      if (leader) world.kill(leader, random.below(2) === 0);
    },
  ],
  [
    6,
    // A machine that sleeps: its leader goes on later from where it was.
    (world, random) => {
      const leader = random.pick(world.leaders);
      if (leader) leader.isHalted = !leader.isHalted;
    },
  ],
  [12, (world, random) => world.poll(random.below(world.served.length))],
  [
    2,
    (world, random) => {
      world.served[random.below(world.served.length)] = undefined;
    },
  ],
  [10, (world, random) => world.pass(random.below(10_000))],
  [6, (world, random) => world.pass(random.below(5 * MINUTE_MS))],
  [3, (world, random) => world.pass(random.below(12 * DAY_MS))],
  [
    1,
    // The clock was behind and is set.
    (world, random) => {
      world.wallMs += random.below(20 * DAY_MS);
    },
  ],
];

const spoilt = { kind: "spoilt", problem: "the private key is another certificate's" } as const;

const lost: readonly Event[] = [
  [1, (world) => world.setSecret(undefined)],
  [1, (world) => world.setSecret({ ...(world.secret ?? noCertificates), current: spoilt })],
  [1, (world) => world.setSecret({ ...(world.secret ?? noCertificates), next: spoilt })],
];

/** Older states that a client may restore. */
const backups: StoredCertificates[] = [];

const anything: readonly Event[] = [
  ...lost,
  [1, (world) => world.setBundle([])],
  [1, (world) => world.setBundle([], true)],
  [1, (world) => world.setBundle(world.bundle.slice(1))],
  [1, (world) => world.secret && backups.push(world.secret)],
  [1, (world, random) => world.setSecret(random.pick(backups))],
];

async function happen(
  world: RotationWorld,
  random: SeededRandom,
  events: readonly Event[],
): Promise<void> {
  const all = events.flatMap(([weight, event]) => Array.from({ length: weight }, () => event));
  for (let count = 0; count < EVENTS; count += 1) await random.pick(all)?.(world, random);
}

function isTrusted({ bundle }: RotationWorld, { id }: Authority): boolean {
  return bundle.some((one) => one.id === id);
}

/**
 * The guarantee: every served certificate is trusted, and was trusted for a while before a replica
 * served it.
 */
function promises(leastMs: number) {
  const problems: string[] = [];
  let current: Generation | undefined;
  const check = (world: RotationWorld, what: string) => {
    const now = world.secret?.current;
    const isLiving = (one: Generation | undefined) => one && one.expiresMs > world.wallMs;
    for (const served of world.served) {
      if (served && isLiving(served) && !isTrusted(world, served.authority)) {
        problems.push(`${what}: a replica serves an untrusted certificate`);
      }
    }
    if (now?.kind !== "usable" || now.generation === current) return;
    current = now.generation;
    // At the very first start, and where everything has expired, there is nothing to wait for.
    if (!world.served.some(isLiving)) return;
    if (world.trustedForMs(current.authority) < leastMs) {
      problems.push(`${what}: a certificate is served too early`);
    }
  };
  return { check, problems };
}

/** The end of a history: one leader, no other writer, and some minutes. */
async function settle(world: RotationWorld): Promise<void> {
  for (const leader of [...world.leaders]) world.kill(leader, false);
  world.startLeader();
  const [leader] = world.leaders;
  if (leader === undefined) throw new TypeError("a leader was started");
  for (let count = 0; count < 200; count += 1) {
    await world.answer(leader);
    world.pass(5000);
    for (const index of world.served.keys()) world.poll(index);
  }
  while (leader.lastStep !== "wait") await world.answer(leader);
}

function expectSettled(world: RotationWorld): void {
  const { secret = noCertificates } = world;
  if (secret.current.kind !== "usable") throw new TypeError("nothing is served");
  const { generation } = secret.current;
  expect(world.served).toEqual(world.served.map(() => generation));
  expect(generation.expiresMs - world.wallMs).toBeGreaterThan(rules.lifeMs / 4);
  const ids = (authorities: readonly Authority[]) => authorities.map(({ id }) => id).toSorted();
  expect(ids(world.bundle)).toEqual(ids(trusted(secret, world.wallMs)));
  expect(world.hasOther).toBe(false);
}

const kinds = {
  "however leaders die and clocks go": { events: usual, leastMs: rules.overlapMs },
  "with any damage to the Secret": { events: [...usual, ...lost], leastMs: rules.urgentOverlapMs },
};

for (const [name, { events, leastMs }] of Object.entries(kinds)) {
  test(`${name}, replicas serve certificates that have been trusted for a while`, async () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const random = seededRandom(seed);
      const { check, problems } = promises(leastMs);
      const world = new RotationWorld(random, check);
      await happen(world, random, events);
      await settle(world);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      expectSettled(world);
    }
  }, 60_000);
}

describe("after any manual change", () => {
  test("everything is in order again within minutes", async () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      backups.length = 0;
      const random = seededRandom(seed);
      const world = new RotationWorld(random, () => undefined);
      await happen(world, random, [...usual, ...anything]);
      await settle(world);
      expectSettled(world);
    }
  }, 60_000);
});
