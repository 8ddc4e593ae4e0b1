import { expect, test } from "bun:test";
import { KubernetesError } from "@svc/kubernetes";
import { findCollection } from "./find-collection.ts";

const answers: Readonly<Record<string, object>> = {
  "/apis": {
    groups: ["apps", "argoproj.io", "away.test", "other.test"].map((name) => ({
      name,
      preferredVersion: { groupVersion: `${name}/v1` },
    })),
  },
  "/apis/apps/v1": {
    resources: [{ name: "deployments", kind: "Deployment", singularName: "", namespaced: true }],
  },
  "/apis/argoproj.io/v1": {
    resources: [
      { name: "rollouts/status", kind: "Rollout", namespaced: true },
      {
        name: "rollouts",
        singularName: "rollout",
        kind: "Rollout",
        shortNames: ["ro"],
        namespaced: true,
      },
      {
        name: "clusterthings",
        singularName: "clusterthing",
        kind: "ClusterThing",
        namespaced: false,
      },
    ],
  },
  "/apis/other.test/v1": {
    resources: [{ name: "rollouts", singularName: "rollout", kind: "Rollout", namespaced: true }],
  },
};

const ask = async ({ path }: { readonly path: string }) => {
  const answer = answers[path];
  if (answer !== undefined) return answer;
  throw new KubernetesError("KUBERNETES_REFUSED", "away", { status: 503 });
};

const rollouts = { kind: "Rollout", path: "/apis/argoproj.io/v1/namespaces/*/rollouts" };
const rows: Readonly<Record<string, object | undefined>> = {
  rollout: rollouts,
  Rollouts: rollouts,
  ro: rollouts,
  "rollout.argoproj.io": rollouts,
  "rollouts.other.test": { kind: "Rollout", path: "/apis/other.test/v1/namespaces/*/rollouts" },
  "rollout.away.test": undefined,
  clusterthing: undefined,
  nothing: undefined,
};
for (const [asked, found] of Object.entries(rows)) {
  test(`${asked} is ${found === undefined ? "not found" : JSON.stringify(found)}`, async () => {
    expect(await findCollection({ ask }, asked)).toEqual(found as never);
  });
}
