import { describe, expect, test } from "bun:test";
import { type ChosenConfig, type ConfigChoice, chooseConfig } from "./choose-config.ts";
import { matchesLabels } from "./matches-labels.ts";
import type { LabelSelector, SvcConfig, SvcConfigSpec } from "./svc-config.ts";

function config(name: string, spec: SvcConfigSpec = {}, namespace = "shop"): SvcConfig {
  return { namespace, name, spec };
}

const web = config("web", { selector: { matchLabels: { app: "web" } } });
const all = config("all", { selector: {} });
const own = config("default");
const cluster = config("cluster", {}, "svc-system");
const chosen = (it: SvcConfig): ChosenConfig => ({ kind: "config", config: it });

describe("the SvcConfig of a pod is", () => {
  const rows: readonly (readonly [string, Partial<ConfigChoice>, ChosenConfig])[] = [
    ["the one that it names", { named: "web", inNamespace: [own, web] }, chosen(web)],
    [
      "none of another selector, if it names one that is not there",
      { named: "other", inNamespace: [own, web], clusterDefault: cluster },
      { kind: "missing" },
    ],
    [
      "the one whose selector matches",
      { labels: { app: "web" }, inNamespace: [own, web], clusterDefault: cluster },
      chosen(web),
    ],
    [
      "not to be said, if selectors of several match",
      { labels: { app: "web" }, inNamespace: [web, own, all] },
      { kind: "several", names: ["all", "web"] },
    ],
    [
      "its namespace's default, if no selector matches",
      { labels: { app: "db" }, inNamespace: [web, own], clusterDefault: cluster },
      chosen(own),
    ],
    [
      "not a default whose own selector does not match",
      {
        inNamespace: [config("default", { selector: { matchLabels: { app: "web" } } })],
        clusterDefault: cluster,
      },
      chosen(cluster),
    ],
    [
      "not one without a selector that it does not name",
      { inNamespace: [config("other")] },
      { kind: "none" },
    ],
    ["the cluster's, if the namespace has none", { clusterDefault: cluster }, chosen(cluster)],
    ["none, if there is none", {}, { kind: "none" }],
  ];
  const nothing: ConfigChoice = {
    named: undefined,
    labels: {},
    inNamespace: [],
    clusterDefault: undefined,
  };
  for (const [name, choice, outcome] of rows) {
    test(name, () => expect(chooseConfig({ ...nothing, ...choice })).toEqual(outcome));
  }
});

describe("labels", () => {
  const labels = { app: "web", tier: "front" };
  const rows: readonly (readonly [LabelSelector, boolean])[] = [
    [{}, true],
    [{ matchLabels: { app: "web" } }, true],
    [{ matchLabels: { app: "web", tier: "back" } }, false],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["api", "web"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["api"] }] }, false],
    [{ matchExpressions: [{ key: "none", operator: "In", values: ["api"] }] }, false],
    [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, false],
    [{ matchExpressions: [{ key: "none", operator: "NotIn", values: ["web"] }] }, true],
    [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, true],
    [{ matchExpressions: [{ key: "none", operator: "Exists" }] }, false],
    [{ matchExpressions: [{ key: "none", operator: "DoesNotExist" }] }, true],
    [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
    [
      {
        matchLabels: { app: "web" },
        matchExpressions: [{ key: "tier", operator: "DoesNotExist" }],
      },
      false,
    ],
    // A name that every object has is not a label.
    [{ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
  ];
  for (const [selector, outcome] of rows) {
    test(`of ${JSON.stringify(labels)} ${outcome ? "match" : "do not match"} ${JSON.stringify(selector)}`, () => {
      expect(matchesLabels(selector, labels)).toBe(outcome);
    });
  }
});
