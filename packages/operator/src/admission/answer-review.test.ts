import { describe, expect, test } from "bun:test";
import { decideInjection } from "../inject/decide-injection.ts";
import { goldenOperator, goldenPods } from "../inject/testdata/golden-pods.ts";
import type { AdmissionContext } from "./admission-context.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { answerReview } from "./answer-review.ts";
import { askingPod, plainContext, podRequest } from "./testdata/pod-request.ts";

const inASecond = () => performance.now() + 1000;

function answer(object: unknown, context = plainContext(), more: Partial<AdmissionRequest> = {}) {
  return answerReview(podRequest(object, more), context, inASecond());
}

describe("the answer about", () => {
  for (const { name, pod, context } of goldenPods()) {
    test(`${name} is the decision`, async () => {
      const { operator, configOf, images } = context;
      const { review, record } = await answer(
        pod,
        plainContext({
          operator,
          configsOf: async () => [configOf(undefined) ?? []].flat(),
          clusterDefault: () => configOf(undefined),
          imagesOf: async () => images,
        }),
      );
      const decision = decideInjection({ pod, operation: "CREATE" }, context);
      const { response } = review;
      expect(response.uid).toBe("11111111-2222-3333-4444-555555555555");
      expect(response.allowed).toBe(decision.kind !== "deny");
      const patch = response.patch && JSON.parse(Buffer.from(response.patch, "base64").toString());
      const decided = decision.kind === "patch" ? decision.patch : undefined;
      expect(patch).toEqual(decided && JSON.parse(JSON.stringify(decided)));
      expect(response.status?.message).toBe(
        decision.kind === "deny" ? decision.message : undefined,
      );
      const outcomes = { patch: "injected", skip: "skipped", deny: "denied" } as const;
      expect(record?.outcome).toBe(outcomes[decision.kind]);
    });
  }
});

const untouched = [
  { name: "an update", more: { operation: "UPDATE" } },
  { name: "an end", more: { operation: "DELETE", object: null } },
  { name: "a connection", more: { operation: "CONNECT" } },
  { name: "another kind", more: { kind: { group: "apps", version: "v1", kind: "Deployment" } } },
  { name: "a pod's status", more: { subResource: "status" } },
  { name: "a pod of another group", more: { kind: { group: "x", version: "v1", kind: "Pod" } } },
  { name: "a pod of another version", more: { kind: { group: "", version: "v2", kind: "Pod" } } },
  { name: "another kind of the group", more: { kind: { group: "", version: "v1", kind: "Node" } } },
] as const;

describe("allowed as it is:", () => {
  for (const { name, more } of untouched) {
    test(name, async () => {
      const { review } = await answer(askingPod, plainContext(), more);
      expect(review.response).toEqual({ uid: podRequest(null).uid, allowed: true });
    });
  }

  test("a pod that cannot be read and asks for nothing", async () => {
    const { review } = await answer({ metadata: {}, spec: { containers: "new in 2040" } });
    expect(review.response.allowed).toBe(true);
  });
});

test("a pod that cannot be read and asks is refused with all that is wrong", async () => {
  const { review, record } = await answer({ ...askingPod, spec: { containers: [{}], volumes: 1 } });
  expect(review.response.status?.message).toContain("pod.spec.containers[0].name: must be set");
  expect(review.response.status?.message).toContain("pod.spec.volumes: must be a list");
  expect(record?.outcome).toBe("denied");
});

test("a pod whose metadata cannot be read is refused as one without a name", async () => {
  const { review } = await answer({ metadata: 1, spec: { containers: "new in 2040" } });
  expect(review.response.allowed).toBe(false);
  expect(review.response.status?.message).toContain("pod.metadata: must be");
});

test("a dry run is judged like any other", async () => {
  const [really, dry] = [
    await answer(askingPod),
    await answer(askingPod, plainContext(), { dryRun: true }),
  ];
  expect(dry.review).toEqual(really.review);
  expect(dry.record?.dryRun).toBe(true);
});

const never = () => Promise.withResolvers<never>().promise;
const breaks = () => Promise.reject(new RangeError("hunter2"));
const faults = [
  {
    name: "images without an answer",
    context: { imagesOf: never },
    code: 504,
    says: "no answer came in time",
  },
  {
    name: "a registry that has trouble itself",
    context: {
      imagesOf: async (images) =>
        new Map(
          images.map((image) => [
            image,
            { kind: "unreadable", reason: "status 500", isPassing: true },
          ]),
        ),
    },
    code: 504,
    says: "status 500",
  },
  {
    name: "SvcConfigs that nobody answers",
    context: { configsOf: never },
    code: 504,
    says: "no answer came in time",
  },
  {
    name: "a look-up of images that breaks",
    context: { imagesOf: breaks },
    code: 500,
    says: "looking failed: RangeError",
  },
  {
    name: "SvcConfigs that cannot be read",
    context: { configsOf: breaks },
    code: 500,
    says: "looking failed: RangeError",
  },
  {
    name: "an unexpected error",
    context: {
      clusterDefault: () => {
        throw new RangeError("hunter2");
      },
    },
    code: 500,
    says: "unexpected RangeError",
  },
] satisfies readonly {
  name: string;
  context: Partial<AdmissionContext>;
  code: number;
  says: string;
}[];

describe("with", () => {
  const endMs = () => performance.now() + 150;
  for (const { name, context, code, says } of faults) {
    test(`${name} a pod is refused in time, and may be tried again`, async () => {
      const began = performance.now();
      const { review, record } = await answerReview(
        podRequest(askingPod),
        plainContext(context),
        endMs(),
      );
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(review.response.status?.code).toBe(code);
      expect(review.response.status?.message).toContain(says);
      expect(JSON.stringify([review, record])).not.toContain("hunter2");
      expect(record?.outcome).toBe("failed");
    });

    test(`${name} a pod is admitted if the operator is set to that`, async () => {
      const operator = { ...goldenOperator, whenImpossible: "admit" } as const;
      const lenient = plainContext({ ...context, operator });
      const { review, record } = await answerReview(podRequest(askingPod), lenient, endMs());
      expect(review.response.allowed).toBe(true);
      expect(review.response.warnings?.join()).toContain(says);
      expect(record?.outcome).toBe("failed");
    });
  }

  test("an aborted look-up that says how far it came, the message names that image alone", async () => {
    const { review } = await answerReview(
      podRequest(askingPod),
      plainContext({
        imagesOf: (images, { signal }) =>
          new Promise((resolve) => {
            const reason = "registry.test does not answer";
            const known = new Map(
              images.map((image) => [image, { kind: "unreadable", reason } as const]),
            );
            signal.addEventListener("abort", () => resolve(known));
          }),
      }),
      endMs(),
    );
    expect(review.response.status?.message).toContain("registry.test does not answer");
    expect(review.response.status?.code).toBe(504);
  });
});

test("the record has names and reasons, and nothing that a variable holds", async () => {
  const env = [{ name: "VAULT_ADDR", value: "https://hunter2.test:1" }];
  const operator = { ...goldenOperator, allowedAddresses: ["https://vault.test:8200"] };
  const containers = [{ name: "app", image: "registry.test/app:1", env }];
  const { review, record } = await answer(
    { ...askingPod, spec: { containers } },
    plainContext({ operator }),
  );
  expect(review.response.status?.message).toContain("hunter2");
  expect(record).toEqual({
    namespace: "shop",
    pod: "api-*",
    uid: "11111111-2222-3333-4444-555555555555",
    operation: "CREATE",
    dryRun: false,
    outcome: "denied",
    reason: "it cannot be injected into",
    unmet: [expect.stringContaining("must be one of the allowed addresses")],
    containers: [],
    left: {},
    ms: expect.any(Number),
  });
  expect(JSON.stringify(record)).not.toContain("hunter2");
});

test("two SvcConfigs whose selectors match are named", async () => {
  const selector = {};
  const configsOf = async () =>
    ["one", "two"].map((name) => ({ namespace: "shop", name, spec: { selector } }));
  const { review } = await answer(askingPod, plainContext({ configsOf }));
  expect(review.response.status?.message).toContain("they are of one, two");
});
