import { describe, expect, test } from "bun:test";
import type { Authority, Generation } from "./generation.ts";
import { trusted } from "./next-step.ts";
import { noCertificates, type StoredCertificates } from "./stored-certificates.ts";
import { DAY_MS, RotationContext, rules } from "./testdata/rotation-context.ts";
import { type SeededRandom, seededRandom } from "./testdata/seeded-random.ts";

const HISTORIES = 300;
const EVENTS = 400;
const MINUTE_MS = 60_000;

/** Something that may happen, and how often. */
type Event = readonly [weight: number, (context: RotationContext, random: SeededRandom) => unknown];

const answerOne: Event = [
  60,
  (context, random) => {
    const leader = random.pick(context.leaders.filter(({ isHalted }) => !isHalted));
    return leader && context.answer(leader);
  },
];

const usual: readonly Event[] = [
  answerOne,
  [3, (context) => context.leaders.length < 3 && context.startLeader()],
  [
    2,
    (context, random) => {
      const leader = random.pick(context.leaders);
      if (leader) context.kill(leader, random.below(2) === 0);
    },
  ],
  [
    6,
    // A machine that sleeps: its leader goes on later from its last step.
    (context, random) => {
      const leader = random.pick(context.leaders);
      if (leader) leader.isHalted = !leader.isHalted;
    },
  ],
  [12, (context, random) => context.poll(random.below(context.served.length))],
  [
    2,
    (context, random) => {
      context.served[random.below(context.served.length)] = undefined;
    },
  ],
  [10, (context, random) => context.pass(random.below(10_000))],
  [6, (context, random) => context.pass(random.below(5 * MINUTE_MS))],
  [3, (context, random) => context.pass(random.below(12 * DAY_MS))],
  [
    1,
    // The clock was behind and is set.
    (context, random) => {
      context.wallMs += random.below(20 * DAY_MS);
    },
  ],
];

const spoilt = { kind: "spoilt", problem: "the private key is another certificate's" } as const;

const lost: readonly Event[] = [
  [1, (context) => context.setSecret(undefined)],
  [1, (context) => context.setSecret({ ...(context.secret ?? noCertificates), current: spoilt })],
  [1, (context) => context.setSecret({ ...(context.secret ?? noCertificates), next: spoilt })],
];

/** Older states that a client may restore. */
const backups: StoredCertificates[] = [];

const anything: readonly Event[] = [
  ...lost,
  [1, (context) => context.setBundle([])],
  [1, (context) => context.setBundle([], true)],
  [1, (context) => context.setBundle(context.bundle.slice(1))],
  [1, (context) => context.secret && backups.push(context.secret)],
  [1, (context, random) => context.setSecret(random.pick(backups))],
];

async function happen(
  context: RotationContext,
  random: SeededRandom,
  events: readonly Event[],
): Promise<void> {
  const all = events.flatMap(([weight, event]) => Array.from({ length: weight }, () => event));
  for (let count = 0; count < EVENTS; count += 1) await random.pick(all)?.(context, random);
}

function isTrusted({ bundle }: RotationContext, { id }: Authority): boolean {
  return bundle.some((one) => one.id === id);
}

/**
 * The guarantee: every served certificate is trusted, and was trusted for a while before a replica
 * served it.
 */
function promises(leastMs: number) {
  const problems: string[] = [];
  let current: Generation | undefined;
  const check = (context: RotationContext, what: string) => {
    const now = context.secret?.current;
    const isLiving = (one: Generation | undefined) => one && one.expiresMs > context.wallMs;
    for (const served of context.served) {
      if (served && isLiving(served) && !isTrusted(context, served.authority)) {
        problems.push(`${what}: a replica serves an untrusted certificate`);
      }
    }
    if (now?.kind !== "usable" || now.generation === current) return;
    current = now.generation;
    // At the very first start, and if everything has expired, there is nothing to wait for.
    if (!context.served.some(isLiving)) return;
    if (context.trustedForMs(current.authority) < leastMs) {
      problems.push(`${what}: a certificate is served too early`);
    }
  };
  return { check, problems };
}

/** The end of a history: one leader, no other writer, and some minutes. */
async function settle(context: RotationContext): Promise<void> {
  for (const leader of [...context.leaders]) context.kill(leader, false);
  context.startLeader();
  const [leader] = context.leaders;
  if (leader === undefined) throw new TypeError("a leader was started");
  for (let count = 0; count < 200; count += 1) {
    await context.answer(leader);
    context.pass(5000);
    for (const index of context.served.keys()) context.poll(index);
  }
  while (leader.lastStep !== "wait") await context.answer(leader);
}

function expectSettled(context: RotationContext): void {
  const { secret = noCertificates } = context;
  if (secret.current.kind !== "usable") throw new TypeError("nothing is served");
  const { generation } = secret.current;
  expect(context.served).toEqual(context.served.map(() => generation));
  expect(generation.expiresMs - context.wallMs).toBeGreaterThan(rules.lifeMs / 4);
  const ids = (authorities: readonly Authority[]) => authorities.map(({ id }) => id).toSorted();
  expect(ids(context.bundle)).toEqual(ids(trusted(secret, context.wallMs)));
  expect(context.hasOther).toBe(false);
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
      const context = new RotationContext(random, check);
      await happen(context, random, events);
      await settle(context);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      expectSettled(context);
    }
  }, 60_000);
}

describe("after any manual change", () => {
  test("everything is in order again within minutes", async () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      backups.length = 0;
      const random = seededRandom(seed);
      const context = new RotationContext(random, () => undefined);
      await happen(context, random, [...usual, ...anything]);
      await settle(context);
      expectSettled(context);
    }
  }, 60_000);
});
