import { expect, test } from "bun:test";
import type { NodeState } from "@svc/vault";
import { RESET_AFTER_MS } from "../secret/next-step.ts";
import type { SecretPhase } from "../secret/secret-phase.ts";
import {
  initialising,
  reserved,
  resetting,
  storedKeys,
} from "../secret/testdata/secret-objects.ts";
import { type FoundNode, judgeReset, type ResetFacts } from "./judge-reset.ts";

const fresh: NodeState = {
  ...{ initialized: false, sealed: true, shares: 0, threshold: 0, progress: 0 },
  ...{ sealType: "shamir", storageType: "raft", clusterId: undefined, version: "2.7.2" },
};
const sealed: NodeState = { ...fresh, initialized: true, shares: 3, threshold: 2 };

const pod = { uid: "pod-uid", containers: "c0ffee", claims: ["data-store-0"] };
const marked: FoundNode = { name: "store-0", pod, state: sealed };
const others: readonly FoundNode[] = ["store-1", "store-2"].map((name) => ({
  ...{ name, state: fresh },
  pod: { uid: name, containers: "x", claims: [`data-${name}`] },
}));

/**
 * A run was ended after it had sent the initialisation, long ago, and everything is as it left it.
 */
const lost: ResetFacts = {
  secret: initialising,
  nodes: [marked, ...others],
  claim: { name: "data-store-0", uid: "claim-uid" },
  beside: "absent",
  nowMs: initialising.sinceMs + RESET_AFTER_MS + 1,
};

const begun: ResetFacts = { ...lost, secret: resetting, beside: "none", nowMs: resetting.sinceMs };

const withFirst = (changed: Partial<FoundNode>): Partial<ResetFacts> => ({
  nodes: [{ ...marked, ...changed }, ...others],
});
const withState = (changed: Partial<NodeState>) => withFirst({ state: { ...sealed, ...changed } });
const withSecret = (secret: SecretPhase): Partial<ResetFacts> => ({ secret });

const deleted = {
  verdict: "delete",
  pod: initialising.pod,
  claim: { name: "data-store-0", uid: "claim-uid" },
} as const;

test.each([
  ["a run that was ended long ago", lost],
  [
    "a run that has released its reservation",
    { ...lost, ...withSecret({ ...initialising, sinceMs: 0 }), nowMs: 1e12 },
  ],
  [
    "a run that could put keys nowhere else",
    {
      ...lost,
      beside: "none" as const,
      ...withSecret({ ...initialising, beside: undefined }),
    },
  ],
  ["a store of one pod", { ...lost, nodes: [marked] }],
  ["a reset that was begun", begun],
] as const)("a store may be reset after %s", (_, facts) => {
  expect(judgeReset(facts)).toEqual(deleted);
});

const refused: readonly (readonly [name: string, changed: Partial<ResetFacts>, reason: string])[] =
  [
    ["no Secret", withSecret({ phase: "absent" }), "there is no Secret"],
    ["an empty Secret", withSecret({ phase: "empty" }), "the Secret is empty"],
    ["a reservation alone", withSecret(reserved), "did not begin to initialise"],
    ["keys in the Secret", withSecret(storedKeys), "the Secret has keys"],
    ["a foreign Secret", withSecret({ phase: "foreign", why: "its type is x" }), "its type is x"],
    [
      "a run that may have its keys",
      { nowMs: initialising.sinceMs + RESET_AFTER_MS },
      "may have its keys since",
    ],
    ["a clock that is behind", { nowMs: initialising.sinceMs - 60_000 }, "may have its keys since"],
    ["keys beside it", { beside: "present" }, "svc-vault-init-1a2b3c4d beside it has keys"],
    ["a Secret beside it that may not be read", { beside: "unknown" }, "cannot be read"],
    ["no pod", { nodes: others }, "store-0 is not there"],
    ["a silent pod", withFirst({ state: { silent: "is Pending" } }), "store-0 is Pending"],
    ["another pod", withFirst({ pod: { ...pod, uid: "new" } }), "is another pod"],
    [
      "a container that was started again",
      withFirst({ pod: { ...pod, containers: "other" } }),
      "it may have been open",
    ],
    [
      "containers of which nothing is known",
      withFirst({ pod: { ...pod, containers: undefined } }),
      "it may have been open",
    ],
    [
      "containers of which nothing was known",
      withSecret({ ...initialising, pod: { ...initialising.pod, containers: undefined } }),
      "it may have been open",
    ],
    ["a store that is open", withState({ sealed: false }), "store-0 is unsealed"],
    ["a store that was given a share", withState({ progress: 1 }), "was given 1 shares"],
    ["a store without data", withState({ initialized: false }), "there is nothing to reset"],
    ["other numbers of shares", withState({ shares: 5 }), "another client initialised it"],
    ["another threshold", withState({ threshold: 3 }), "another client initialised it"],
    ["a store at its initialisation", withState({ shares: 0, threshold: 0 }), "still being"],
    ["a store in a database", withState({ storageType: "postgresql" }), "storage is postgresql"],
    ["a store that does not say", withState({ storageType: undefined }), "storage is unknown"],
    [
      "another pod that has joined",
      { nodes: [marked, { ...marked, name: "store-1" }] },
      "store-1 is initialised",
    ],
    [
      "another pod that is silent",
      { nodes: [marked, { ...marked, name: "store-1", state: { silent: "is Pending" } }] },
      "store-1 is Pending",
    ],
    ["no claim", { claim: undefined }, "has no claim"],
    ["a claim that is not the pod's", { claim: { name: "data", uid: "u" } }, "does not mount data"],
  ];

test.each(refused)("a store is not reset with %s", (_, changed, reason) => {
  const verdict = judgeReset({ ...lost, ...changed });
  expect(verdict).toEqual({ verdict: "refuse", reasons: [expect.stringContaining(reason)] });
});

test.each([
  ["another claim", { claim: { name: "data-store-0", uid: "new" } }, "another claim"],
  ["another pod", withFirst({ pod: { ...pod, uid: "new" } }), "another pod"],
  ["a restart", withFirst({ pod: { ...pod, containers: "new" } }), "it may have been open"],
  ["a share", withState({ progress: 1 }), "was given 1 shares"],
] as const)("a reset that was begun stops at %s", (_, changed, reason) => {
  const verdict = judgeReset({ ...begun, ...changed });
  expect(verdict).toEqual({ verdict: "refuse", reasons: [expect.stringContaining(reason)] });
});

test("everything that speaks against it is said at once", () => {
  const verdict = judgeReset({
    ...lost,
    beside: "present",
    ...withState({ progress: 1, shares: 5 }),
  });
  expect(verdict).toMatchObject({ verdict: "refuse", reasons: { length: 3 } });
});
