import { describe, expect, test } from "bun:test";
import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import type { BundleSource } from "../inject/bundle-source.ts";
import { bundleFor, chooseBundle, parseVersion } from "./bundle-choice.ts";

const copy: BundleSource = { kind: "copy", image: "svc:1", command: ["install"], user: 1 };
const auto: BundleSource = { ...copy, mountsWherePossible: true };
const mounted: BundleSource = { kind: "image-volume", image: "svc:1" };

describe("the wrapper's image is mounted", () => {
  const cases: Readonly<
    Record<string, readonly [source: BundleSource, version: unknown, kind: BundleSource["kind"]]>
  > = {
    "from Kubernetes 1.36 on": [auto, { major: "1", minor: "36" }, "image-volume"],
    "if a provider adds a plus": [auto, { major: "1", minor: "37+" }, "image-volume"],
    "in a second Kubernetes": [auto, { major: "2", minor: "0" }, "image-volume"],
    "not before 1.36": [auto, { major: "1", minor: "35+" }, "copy"],
    "not if the version is not a number": [auto, { major: "1", minor: "x36" }, "copy"],
    "not if the answer is another": [auto, [], "copy"],
    "not if the operator is to copy": [copy, { major: "1", minor: "40" }, "copy"],
    "if the operator is to mount it": [mounted, { major: "1", minor: "30" }, "image-volume"],
  };
  test.each(Object.entries(cases))("%s", (_name, [source, version, kind]) => {
    expect(bundleFor(source, parseVersion(version)).kind).toBe(kind);
  });
});

describe("the operator asks the API server", () => {
  type Answer = () => unknown;
  const cut: Answer = () => {
    throw new KubernetesError("KUBERNETES_UNREACHABLE", "away");
  };
  const refuse: Answer = () => {
    throw new KubernetesError("KUBERNETES_REFUSED", "no", { status: 403 });
  };
  const cases: Readonly<Record<string, readonly [source: BundleSource, Answer[], kind: string]>> = {
    "until it answers": [auto, [cut, () => ({ major: "1", minor: "36" })], "image-volume"],
    "and copies if it refuses to say": [auto, [refuse], "copy"],
    "not at all if it has a setting": [copy, [], "copy"],
  };
  for (const [name, [source, answers, kind]] of Object.entries(cases)) {
    test(name, async () => {
      const left = [...answers];
      const api: Pick<KubernetesApi, "ask"> = { ask: async () => left.shift()?.() };
      const parts = { api: api as KubernetesApi, log: () => undefined };
      const choice = chooseBundle(source, parts, new AbortController().signal);
      expect(choice.isKnown()).toBe(answers.length === 0);
      await choice.ended;
      expect(choice.isKnown()).toBe(true);
      expect(choice.current().kind as string).toBe(kind);
      expect(left).toEqual([]);
    });
  }
});
