import { describe, expect, test } from "bun:test";
import { type Hint, hintText } from "@svc/protocol";
import { hmacSha256 } from "@svc/secret-bytes";
import { failure } from "../errors.ts";
import type { ReceivedHint } from "../health/received-hint.ts";
import { recordLog } from "../http/testdata/record-log.ts";
import type { HintedSecrets } from "../life/hints.ts";
import { HintSubscription, type SubscriptionOutcome } from "./hint-subscription.ts";

const secrets: HintedSecrets = { secrets: [{ path: "secret/data/a", version: 1 }], areAll: true };
const newer: HintedSecrets = { secrets: [{ path: "secret/data/a", version: 2 }], areAll: true };
const subscribed: SubscriptionOutcome = {
  kind: "answered",
  answer: { decision: "subscribed", renewAfterMs: 600_000 },
};
const refused: SubscriptionOutcome = {
  kind: "answered",
  answer: { decision: "refused", reason: "another vault", retryAfterMs: 60_000 },
};
const silence: SubscriptionOutcome = {
  kind: "unanswered",
  failures: [failure("HINTS_UNANSWERED", "ask the operator: connect: refused")],
};

/** A subscription on a clock that the test moves. */
class Stage {
  nowMs = 0;
  answer: SubscriptionOutcome = subscribed;
  hasPort = true;
  readonly asked: { readonly key: string; readonly versions: readonly number[] }[] = [];
  readonly told: ReceivedHint[] = [];
  readonly #record = recordLog();
  #wakes: { readonly atMs: number; readonly callback: () => void } | undefined;
  readonly subscription = new HintSubscription({
    log: this.#record.log,
    intervals: { renewalMs: 30_000, hintedMs: 600_000 },
    ask: (key, secrets) => {
      if (!this.hasPort) return undefined;
      this.asked.push({ key, versions: secrets.map(({ version }) => version) });
      return Promise.resolve(this.answer);
    },
    tell: (hint) => void this.told.push(hint),
    wake: (ms, callback) => {
      this.#wakes = { atMs: this.nowMs + ms, callback };
    },
    nowMs: () => this.nowMs,
    random: () => 0.5,
  });

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    while (this.#wakes !== undefined && this.#wakes.atMs <= endMs) {
      const { atMs, callback } = this.#wakes;
      this.#wakes = undefined;
      this.nowMs = atMs;
      callback();
      // A turn of the loop, so that promises of answers are settled.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    this.nowMs = endMs;
  }

  /** A hint with the MAC of the key that the wrapper has sent last, or of another one. */
  say(hint: Partial<Hint>, key = this.asked.at(-1)?.key ?? "") {
    const whole: Hint = { sequence: this.nowMs, news: "fresh", validMs: 75_000, ...hint };
    return this.subscription.take(`${hintText(whole)} ${macOf(whole, key)}`);
  }

  get lines(): readonly string[] {
    return this.#record.lines.map(({ message }) => String(message));
  }
}

function macOf(hint: Hint, key: string): string {
  return hmacSha256(Uint8Array.fromHex(key), [hintText(hint)]);
}

/** A stage whose subscription was answered at 0 ms. */
async function stand(answer: SubscriptionOutcome = subscribed): Promise<Stage> {
  const stage = new Stage();
  stage.answer = answer;
  stage.subscription.follow(secrets);
  await stage.pass(0);
  return stage;
}

describe("the wrapper subscribes", () => {
  test("once it knows the versions, with a random key", async () => {
    const { asked } = await stand();
    expect(asked).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{64}$/), versions: [1] }]);
  });

  test("again with other versions, with another key", async () => {
    const stage = await stand();
    stage.subscription.follow(secrets);
    stage.subscription.follow(newer);
    await stage.pass(0);
    expect(stage.asked.map(({ versions }) => versions)).toEqual([[1], [2]]);
    expect(new Set(stage.asked.map(({ key }) => key)).size).toBe(2);
  });

  test("again before the subscription ends", async () => {
    const stage = await stand();
    await stage.pass(599_999);
    expect(stage.asked).toHaveLength(1);
    await stage.pass(1);
    expect(stage.asked).toHaveLength(2);
  });

  test("again within an interval once hints have stopped", async () => {
    const stage = await stand();
    stage.say({});
    await stage.pass(75_000);
    expect(stage.lines.at(-1)).toContain("hints have stopped");
    expect(stage.asked).toHaveLength(1);
    await stage.pass(15_000);
    expect(stage.asked).toHaveLength(2);
  });

  test("as seldom as a refusal says, whose reason is logged once", async () => {
    const stage = await stand(refused);
    await stage.pass(59_999);
    expect(stage.asked).toHaveLength(1);
    await stage.pass(60_001);
    expect(stage.asked).toHaveLength(3);
    expect(stage.lines).toEqual(["the operator says no hints: another vault"]);
  });

  test("ever more seldom while no answer comes", async () => {
    const stage = await stand(silence);
    await stage.pass(3_600_000);
    expect(stage.asked.length).toBeLessThan(16);
    expect(stage.asked.length).toBeGreaterThan(8);
    expect(stage.lines).toHaveLength(1);
  });

  test("not while the health server does not listen, but later", async () => {
    const stage = new Stage();
    stage.hasPort = false;
    stage.subscription.follow(secrets);
    await stage.pass(1000);
    stage.hasPort = true;
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(1);
  });

  test("not without a secret that hints can be about", async () => {
    const stage = new Stage();
    stage.subscription.follow({ secrets: [], areAll: false });
    await stage.pass(3_600_000);
    expect(stage.asked).toEqual([]);
  });
});

describe("the log says that no hint comes", () => {
  const silent = expect.stringContaining("no hint of the operator has come");

  test("a minute after the subscription, and once", async () => {
    const stage = await stand();
    await stage.pass(59_999);
    expect(stage.lines).toEqual([]);
    await stage.pass(1_800_000);
    expect(stage.asked.length).toBeGreaterThan(2);
    expect(stage.lines).toEqual([silent]);
  });

  test("and not if one has come, also before the answer", async () => {
    const stage = new Stage();
    stage.subscription.follow({ ...secrets, areAll: false });
    const passing = stage.pass(0);
    stage.say({});
    await passing;
    await stage.pass(120_000);
    expect(stage.lines).toEqual([]);
  });
});

describe("a hint", () => {
  test("that all is fresh holds for as long as it says", async () => {
    const stage = await stand();
    expect(stage.say({ validMs: 75_000 })).toEqual({ kind: "taken" });
    expect(stage.told).toEqual([{ kind: "fresh", untilMs: 75_000 }]);
    expect(stage.lines).toEqual([
      "the operator says hints: secrets are checked every 600 s while they come",
    ]);
  });

  test("that all is fresh holds for no longer than the hinted interval", async () => {
    const stage = await stand();
    stage.say({ validMs: 999_999_999 });
    expect(stage.told).toEqual([{ kind: "fresh", untilMs: 600_000 }]);
  });

  test("makes nothing fresh if some secrets have to be checked all the same", async () => {
    const stage = new Stage();
    stage.subscription.follow({ ...secrets, areAll: false });
    await stage.pass(0);
    expect(stage.say({})).toEqual({ kind: "taken" });
    expect(stage.told).toEqual([{ kind: "fresh", untilMs: 0 }]);
    expect(stage.say({ sequence: 1, news: "changed" })).toEqual({ kind: "taken" });
    expect(stage.told.at(-1)).toEqual({ kind: "changed", mayCheck: true });
  });

  test("of a change causes three checks at once, and then one in ten seconds", async () => {
    const stage = await stand();
    for (const sequence of [1, 2, 3]) {
      expect(stage.say({ sequence, news: "changed" })).toEqual({ kind: "taken" });
    }
    expect(stage.say({ sequence: 4, news: "changed" })).toEqual({
      ...{ kind: "too many", retryAfterMs: 10_000 },
    });
    expect(stage.told.at(-1)).toEqual({ kind: "changed", mayCheck: false });
    await stage.pass(10_000);
    expect(stage.say({ sequence: 5, news: "changed" })).toEqual({ kind: "taken" });
  });

  test("may come before the answer to the subscription", async () => {
    const stage = new Stage();
    stage.subscription.follow(secrets);
    const passing = stage.pass(0);
    expect(stage.say({})).toEqual({ kind: "taken" });
    await passing;
  });

  test("of the key before is taken until the first one of the next key", async () => {
    const stage = await stand();
    stage.say({});
    stage.subscription.follow(newer);
    await stage.pass(0);
    const [first, second] = stage.asked;
    expect(stage.say({ sequence: 1 }, first?.key)).toEqual({ kind: "taken" });
    expect(stage.say({ sequence: 2 }, second?.key)).toEqual({ kind: "taken" });
    expect(stage.say({ sequence: 3 }, first?.key)).toEqual({ kind: "unknown" });
  });
});

describe("a forged hint is refused, and silences nothing:", () => {
  const rows: readonly (readonly [string, (stage: Stage) => unknown])[] = [
    ["another key", (stage) => stage.say({ sequence: 9 }, "00".repeat(32))],
    ["a replay", (stage) => stage.say({ sequence: 0 })],
    ["an older one that was kept back", (stage) => stage.say({ sequence: 0, validMs: 1 })],
    [
      "a longer time under the MAC of another hint",
      (stage) => {
        const hint = { sequence: 9, news: "fresh", validMs: 1000 } as const;
        const mac = macOf(hint, stage.asked[0]?.key ?? "");
        return stage.subscription.take(`${hintText({ ...hint, validMs: 600_000 })} ${mac}`);
      },
    ],
    ["no hint at all", (stage) => stage.subscription.take("")],
    ["a flood of text", (stage) => stage.subscription.take("1 ".repeat(100_000))],
  ];
  test.each(rows)("%s", async (_, forge) => {
    const stage = await stand();
    stage.say({ sequence: 1 });
    expect(forge(stage)).toEqual({ kind: "unknown" });
    expect(stage.told).toEqual([{ kind: "fresh", untilMs: 75_000 }, { kind: "refused" }]);
  });

  test("without a subscription", () => {
    const stage = new Stage();
    expect(stage.say({}, "00".repeat(32))).toEqual({ kind: "unknown" });
  });
});
