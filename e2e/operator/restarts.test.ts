import { afterAll, beforeAll, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { CONFIGURATION } from "../harness/kubernetes/operator-release.ts";
import { askingPod, type CreatedPod, createPod, podOf, wrappedIn } from "./created-pods.ts";
import type { Replica } from "./replica.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const PODS = 2000;
/** At a time: controllers are many. */
const CLIENTS = 8;
const TIMEOUT_MS = 180_000;

let operator: RunningOperator;
beforeAll(async () => {
  const settings = { certificateLife: "1m", shutdownDelay: "1s", shutdownGrace: "5s" };
  operator = await runningOperator({ values: withValues({ settings }), replicas: 3 });
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

interface Outcome {
  readonly asks: boolean;
  readonly created: CreatedPod;
}

/** Creates pods, every fourth of which does not ask, until there are enough and `isOver`. */
async function createPods(isOver: () => boolean): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let begun = 0;
  const client = async () => {
    while (begun < PODS || !isOver()) {
      const asks = begun++ % 4 !== 0;
      const pod = asks ? askingPod() : podOf({ "example.test/other": "yes" });
      outcomes.push({ asks, created: await createPod(operator.kube, pod) });
      // Enough of them came together. From now on they come more slowly, until the restarts are
      // done.
      if (begun > PODS) await Bun.sleep(CLIENTS * 5);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return outcomes;
}

/** The number of outcomes of each kind, with the messages unchanged. */
function tally(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const kinds = outcomes.map(({ asks, created }) => {
    if (created.status !== 201) return `${created.status}: ${String(created.body["message"])}`;
    const isWrapped = wrappedIn(created).length > 0;
    return isWrapped === asks ? "right" : `wrong: asks ${asks}, wrapped ${isWrapped}`;
  });
  return Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, all = []]) => [
      kind,
      all.length,
    ]),
  );
}

async function trusted(): Promise<string> {
  const read = await operator.release.read(CONFIGURATION);
  const [webhook] = Object(read)["webhooks"];
  return String(Object(webhook).clientConfig.caBundle);
}

const rotations = () =>
  [...operator.replicas].flatMap((replica) =>
    replica.log().filter(({ message }) => message === "a certificate is served"),
  ).length;

test(
  "2,000 pods: nothing fails while every replica is replaced, the leader too, and certificates change",
  async () => {
    const before = await trusted();
    const served = rotations();
    let isOver = false;
    const creating = createPods(() => isOver);
    for (const replica of [...operator.replicas]) {
      await operator.startReady();
      expect(await operator.end(replica)).toBe(0);
    }
    await waitFor(async () => (await trusted()) !== before, {
      deadlineMs: 90_000,
      what: "another authority",
    });
    await waitFor(() => rotations() >= served + operator.replicas.size, {
      deadlineMs: 60_000,
      what: "every replica to serve another certificate",
    });
    isOver = true;
    const outcomes = await creating;
    expect(tally(outcomes)).toEqual({ right: outcomes.length });
    expect(outcomes.length).toBeGreaterThanOrEqual(PODS);
  },
  TIMEOUT_MS,
);

test(
  "2,000 pods: when replicas are killed, a pod fails to be asked about, and none is let in without or refused",
  async () => {
    let isOver = false;
    const creating = createPods(() => isOver);
    for (const replica of [...operator.replicas]) {
      await operator.kill(replica);
      await operator.startReady();
    }
    isOver = true;
    const outcomes = await creating;
    const { right = 0, ...others } = tally(outcomes);
    const unexpected = Object.keys(others).filter(
      (kind) => !/^500: Internal error occurred: failed calling webhook/.test(kind),
    );
    expect(unexpected).toEqual([]);
    // A replica starts late on a busy machine, and pods go on failing.
    expect(right).toBeGreaterThan(PODS / 4);
  },
  TIMEOUT_MS,
);

test(
  "a pod that asks is refused while no replica is there, and others are not asked about",
  async () => {
    const all: readonly Replica[] = [...operator.replicas];
    await Promise.all(all.map(operator.kill));
    const refused = await waitFor(
      async () => {
        const created = await createPod(operator.kube, askingPod());
        return created.status === 201 ? undefined : created;
      },
      { deadlineMs: 30_000, what: "the API server to notice" },
    );
    expect(refused).toMatchObject({ status: 500 });
    const plain = await createPod(operator.kube, podOf());
    expect(plain.status).toBe(201);
    await operator.startReady();
    const again = await waitFor(
      async () => {
        const created = await createPod(operator.kube, askingPod());
        return created.status === 201 ? created : undefined;
      },
      { deadlineMs: 30_000, what: "a pod that is injected into" },
    );
    expect(wrappedIn(again)).toEqual(["app"]);
  },
  TIMEOUT_MS,
);
