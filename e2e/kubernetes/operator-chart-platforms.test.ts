import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@svc/testing";
import { platforms } from "../../scripts/generate/chart/platform-values.ts";
import { objectOf, parseManifest, runHelm } from "../harness/kubernetes/helm.ts";
import {
  NAMESPACE,
  operatorChart,
  RELEASE,
  renderOperatorChart,
  type SomeValues,
  withValues,
} from "../harness/kubernetes/operator-chart.ts";

const guide = readFileSync(join(import.meta.dir, "../../docs/guides/platforms.md"), "utf8");

/** The parts of the objects that a platform changes. */
interface Shape {
  readonly port: number;
  readonly listens: string;
  readonly replicas: number;
  readonly keepsOne: boolean;
  readonly user: number | undefined;
  readonly copyUser: string | undefined;
  readonly hostNetwork: boolean;
  readonly dnsPolicy: string | undefined;
  readonly annotations: object | undefined;
}

const plain: Shape = {
  ...{ port: 8443, listens: ":8443", replicas: 2, keepsOne: true, user: 65_532 },
  ...{ copyUser: undefined, hostNetwork: false, dnsPolicy: undefined, annotations: undefined },
};

function shapeOf(objects: readonly KubernetesObject[]): Shape {
  const { replicas, template } = Object(objectOf(objects, "Deployment")["spec"]);
  const { hostNetwork = false, dnsPolicy, securityContext, containers } = template.spec;
  const [{ args, ports }] = containers;
  const flag = (name: string) =>
    args.find((word: string) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const webhook = objectOf(objects, "MutatingWebhookConfiguration");
  return {
    port: ports[0].containerPort,
    listens: flag("--listen-addr"),
    replicas,
    keepsOne: objects.some(({ kind }) => kind === "PodDisruptionBudget"),
    user: securityContext.runAsUser,
    copyUser: flag("--copy-user"),
    hostNetwork,
    dnsPolicy,
    annotations: Object(webhook.metadata).annotations,
  };
}

const disabled = { "admissions.enforcer/disabled": "true" };

const sets: Readonly<Record<(typeof platforms)[number], Partial<Shape>>> = {
  eks: {},
  gke: { port: 10_250, listens: ":10250" },
  aks: { annotations: disabled },
  openshift: { user: undefined, copyUser: "none" },
  kind: { replicas: 1, keepsOne: false },
};

describe("the operator on", () => {
  test("no platform is as it was", async () => {
    expect(shapeOf(await renderOperatorChart())).toEqual(plain);
    expect(shapeOf(await renderOperatorChart(withValues({ platform: null })))).toEqual(plain);
  });

  for (const platform of platforms) {
    test(`${platform} has its values`, async () => {
      const shape = shapeOf(await renderOperatorChart(withValues({ platform })));
      expect(shape).toEqual({ ...plain, ...sets[platform] });
    });
  }

  test("a platform with values of the user's has those", async () => {
    const own: readonly (readonly [SomeValues, Partial<Shape>])[] = [
      [{ platform: "gke", operator: { port: 8443 } }, {}],
      [{ platform: "kind", operator: { replicas: 2 } }, {}],
      [
        { platform: "openshift", operator: { runAsUser: 65_532 }, settings: { copyUser: 65_532 } },
        { copyUser: "65532" },
      ],
      [
        { platform: "aks", webhook: { annotations: { "admissions.enforcer/disabled": "false" } } },
        { annotations: { "admissions.enforcer/disabled": "false" } },
      ],
      [
        { platform: "aks", webhook: { annotations: { note: "none" } } },
        { annotations: { ...disabled, note: "none" } },
      ],
      [{ operator: { runAsUser: null } }, { user: undefined }],
    ];
    for (const [values, changed] of own) {
      const shape = shapeOf(await renderOperatorChart(withValues(values)));
      expect(shape).toEqual({ ...plain, ...changed });
    }
  });

  test("the network of its nodes finds the cluster's DNS, and shares no port", async () => {
    const render = (operator: object) =>
      renderOperatorChart(withValues({ operator: { hostNetwork: true, ...operator } }));
    const objects = await render({});
    const inNode = { ...plain, hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" };
    expect(shapeOf(objects)).toEqual(inNode);
    const { strategy } = Object(objectOf(objects, "Deployment")["spec"]);
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 1, maxSurge: 0 });
    const own = shapeOf(await render({ dnsPolicy: "Default" }));
    expect(own).toEqual({ ...inNode, dnsPolicy: "Default" });
    await expect(render({ port: 10_250 })).rejects.toThrow("operator.port: must not be 10250");
  });

  test("an unknown platform is refused by the names of those that it knows", async () => {
    const words = ["template", RELEASE, operatorChart];
    const { exitCode, stderr } = await runHelm(words, {
      values: withValues({ platform: "minikube" }),
    });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("/platform");
    for (const name of platforms) expect(stderr).toContain(`'${name}'`);
  });
});

describe("the guide's page of platforms", () => {
  const lines = guide.replaceAll("\\\n", " ").split("\n");
  const commands = lines.flatMap((line) => {
    const [program, verb, ...words] = line.trim().split(/\s+/);
    return program === "helm" && verb === "install" ? [words] : [];
  });
  const wanted: readonly (readonly [string, Partial<Shape>])[] = [
    ["eks", sets.eks],
    ["eks", { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }],
    ["gke", sets.gke],
    ["gke", {}],
    ["aks", sets.aks],
    ["openshift", sets.openshift],
    ["kind", sets.kind],
  ];

  test("has a command for each of them", () => {
    const named = commands.map((words) =>
      words.find((word) => word.startsWith("platform="))?.slice("platform=".length),
    );
    expect(named).toEqual(wanted.map(([platform]) => platform));
    for (const platform of platforms) expect(guide).toContain(`| \`${platform}\` |`);
  });

  for (const [index, [platform, changed]] of wanted.entries()) {
    test(`command ${index + 1}, for ${platform}, gives the objects of the page`, async () => {
      const [release = "", chart = "", ...words] = commands[index] ?? [];
      expect([release, chart]).toEqual([RELEASE, "deploy/charts/svc"]);
      const { exitCode, stdout, stderr } = await runHelm(
        ["template", release, operatorChart, ...words.filter((word) => word !== "--wait")],
        {},
      );
      expect(exitCode, stderr).toBe(0);
      const objects = parseManifest(stdout);
      expect(shapeOf(objects)).toEqual({ ...plain, ...changed });
      expect(objectOf(objects, "Deployment").metadata.namespace).toBe(NAMESPACE);
    });
  }
});
