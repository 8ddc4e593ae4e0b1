import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { freePort, refusal } from "@svc/testing";
import { apps, asking, explainStage, makerOf, podOf, pods } from "./testdata/explain-stage.ts";

const stage = explainStage();
const { server, explain, kubeconfig, putWebhook, putOperator } = stage;
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(stage.reset);

describe("a SvcConfig", () => {
  const configs = "/apis/svc.internal/v1alpha1/namespaces";
  const spec = {
    ...{ vaultAddress: "https://vault.test:8200", vaultRole: "api" },
    ...{ secretPaths: ["kv/data/api"], envMap: "*=*" },
  };
  const only = podOf("web", { "svc.internal/inject": "true" });
  const deployment = `${apps}/deployments/web`;
  test("of the namespace counts", async () => {
    const metadata = { name: "default", namespace: "shop" };
    server.put(`${configs}/shop/svcconfigs/default`, { metadata, spec });
    server.put(deployment, makerOf("Deployment", only));
    expect((await explain(["deployment/web", "-n", "shop"])).exitCode).toBe(0);
  });

  test("of the cluster counts if the operator names it", async () => {
    putOperator(1, ["--default-config=svc-system/all"]);
    const metadata = { name: "all", namespace: "svc-system" };
    server.put(`${configs}/svc-system/svcconfigs/all`, { metadata, spec });
    server.put(deployment, makerOf("Deployment", only));
    expect((await explain(["deployment/web", "-n", "shop"])).exitCode).toBe(0);
  });

  test("that cannot be read is named", async () => {
    const metadata = { name: "default", namespace: "shop" };
    server.put(`${configs}/shop/svcconfigs/default`, { metadata, spec: { ...spec, ebpf: "yes" } });
    server.put(deployment, makerOf("Deployment", podOf("web", asking)));
    const { out } = await explain(["deployment/web", "-n", "shop"]);
    expect(out).toContain("SvcConfig shop/default, which cannot be read: ");
    expect(out).toContain("ebpf: must be true or false");
  });
});

describe("the operator's flags are not known if", () => {
  const taken = "the operator's flags: its defaults were taken, and so the prefix svc.internal\n";
  const system = "/api/v1/namespaces/svc-system/services/svc-operator";
  const deployment = "/apis/apps/v1/namespaces/svc-system/deployments/svc-operator";
  const rows: readonly (readonly [string, () => void, string])[] = [
    [
      "its webhook has a URL",
      () =>
        putWebhook({ clientConfig: { url: "https://svc.test/mutate-v1-pod", caBundle: "Y2E=" } }),
      "its webhook is reached by a URL\n",
    ],
    [
      "its service is not there",
      () => server.remove(system),
      "service svc-system/svc-operator is not there, or selects nothing\n",
    ],
    [
      "its service selects nothing",
      () => server.put(system, { spec: {} }),
      "service svc-system/svc-operator is not there, or selects nothing\n",
    ],
    [
      "no Deployment is behind the service",
      () => server.remove(deployment),
      "behind service svc-system/svc-operator there is no svc-operator\n",
    ],
    [
      "the Deployment runs another program",
      () => {
        const template = {
          metadata: { labels: { app: "svc-operator" } },
          spec: { containers: [{ args: ["--frobnicate"] }] },
        };
        server.put(deployment, { metadata: { name: "svc-operator" }, spec: { template } });
      },
      "behind service svc-system/svc-operator there is no svc-operator\n",
    ],
  ];
  for (const [name, prepare, text] of rows) {
    test(name, async () => {
      prepare();
      server.put(`${pods}/web`, podOf("web", asking));
      const { out } = await explain(["pod", "web", "-n", "shop"]);
      expect(out).toContain(text);
      expect(out).toContain(taken);
    });
  }
});

test("a user that may only read pods gets an answer, and learns the unread objects", async () => {
  server.put(`${pods}/web`, podOf("web", asking));
  server.intercept = ({ path }) =>
    path.startsWith(pods) ? undefined : refusal(403, "Forbidden", `no right for ${path}`);
  const { exitCode, out } = await explain(["pod", "web", "-n", "shop"]);
  expect(exitCode).toBe(2);
  const open = out.split("not known from here:")[1];
  for (const text of [
    ...["list the webhook configurations: status 403", "read namespace shop: status 403"],
    ...["list the events: status 403", "the operator's flags: its defaults were taken"],
    "list the SvcConfigs of namespace shop: status 403",
    "; this is judged as if there were none",
  ]) {
    expect(open).toContain(text);
  }
});

describe("a kind of an extension", () => {
  const discovery: Readonly<Record<string, object>> = {
    "/apis": { groups: [{ name: "x.test", preferredVersion: { groupVersion: "x.test/v1" } }] },
    "/apis/x.test/v1": {
      resources: [{ name: "rollouts", singularName: "rollout", kind: "Rollout", namespaced: true }],
    },
  };
  beforeEach(() => {
    server.intercept = ({ path }) => {
      const answer = discovery[path];
      return answer && Response.json(answer);
    };
  });
  const rollout = (parts: object) => ({ metadata: { name: "web" }, spec: parts });
  const path = "/apis/x.test/v1/namespaces/shop/rollouts/web";

  test("is explained by each of its templates, and the worst decides", async () => {
    const { metadata, spec } = podOf("web", asking);
    const blue = { template: { metadata: { annotations: metadata.annotations }, spec } };
    const annotations = { "svc.internal/inject": "true" };
    const green = { template: { metadata: { annotations }, spec } };
    server.put(path, rollout({ blue, green }));
    const { exitCode, out } = await explain(["rollout", "web", "-n", "shop"]);
    expect(out).toContain(
      "Rollout shop/web (spec.blue.template) makes pods that are injected into",
    );
    expect(out).toContain("Rollout shop/web (spec.green.template) makes pods that are refused");
    expect(exitCode).toBe(2);
  });

  test("without a template is not explained", async () => {
    server.put(path, rollout({}));
    expect(await explain(["rollout/web", "-n", "shop"])).toEqual({
      ...{ exitCode: 2, out: "" },
      err: "svc: warning: Rollout shop/web has no pod template that this command knows: explain its pods\n",
    });
  });

  const unknown = [
    ["service", "of a kind that makes pods: Pod, "],
    ["deploymet", "did you mean deployment?"],
  ] as const;
  for (const [kind, text] of unknown) {
    test(`that the cluster does not have: ${kind}`, async () => {
      const ran = await explain([kind, "web"]);
      expect(ran).toMatchObject({ exitCode: 125, out: "" });
      expect(ran.err).toContain(text);
    });
  }
});

describe("svc explain", () => {
  test("takes the namespace of the kubeconfig's context", async () => {
    server.put(`${pods}/web`, podOf("web", {}));
    const config = await kubeconfig(server.address, { namespace: "shop" });
    expect((await explain(["pod", "web"], config)).out).toStartWith("Pod shop/web was not");
    expect((await explain(["pod", "web"])).err).toBe(
      "OBJECT_MISSING: read Pod default/web: there is none",
    );
  });

  test("says which cluster does not answer", async () => {
    const address = `http://127.0.0.1:${freePort()}`;
    const ran = await explain(["pod", "web"], await kubeconfig(address));
    expect(ran).toMatchObject({ exitCode: 125, out: "" });
    expect(ran.err).toStartWith("CLUSTER_UNREADABLE: ");
    expect(ran.err).toContain(address);
  });

  const rows: readonly (readonly [readonly string[], number, string])[] = [
    [["--help"], 0, "usage: svc explain KIND NAME [FLAGS]"],
    [["--version"], 0, "svc "],
    [[], 125, "the object: must be named as KIND NAME: it is not"],
    [["pod"], 125, "for example svc explain pod web-7d4b9c"],
    [["pod/a/b"], 125, "the object: must be named as KIND NAME"],
    [["pod", "a", "b"], 125, "one object is explained at a time"],
    [["pod", "a", "-o", "yaml", "--look-up-images=x"], 125, "--output: must be one of text, json"],
    [["pod", "a", "-o", "yaml", "--look-up-images=x"], 125, "--look-up-images: must be"],
  ];
  for (const [words, exitCode, text] of rows) {
    test(`${words.join(" ") || "without words"}: ${text}`, async () => {
      const ran = await explain(words);
      expect(ran.exitCode).toBe(exitCode);
      expect(exitCode === 0 ? ran.out : ran.err).toContain(text);
    });
  }
});
