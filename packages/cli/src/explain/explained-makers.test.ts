import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  apps,
  asking,
  ended,
  explainStage,
  image,
  makerOf,
  podOf,
  pods,
  running,
  statusOf,
} from "./testdata/explain-stage.ts";

const stage = explainStage();
const { server, explain, injected, putOperator } = stage;
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(stage.reset);

const places: Readonly<Record<string, string>> = {
  Deployment: `${apps}/deployments`,
  ReplicaSet: `${apps}/replicasets`,
  StatefulSet: `${apps}/statefulsets`,
  DaemonSet: `${apps}/daemonsets`,
  ReplicationController: "/api/v1/namespaces/shop/replicationcontrollers",
  Job: "/apis/batch/v1/namespaces/shop/jobs",
  CronJob: "/apis/batch/v1/namespaces/shop/cronjobs",
};

describe("a maker of pods", () => {
  const short = { deploy: "Deployment", rs: "ReplicaSet", sts: "StatefulSet", ds: "DaemonSet" };
  const words = { ...short, rc: "ReplicationController", jobs: "Job", cj: "CronJob" };
  for (const [word, kind] of Object.entries(words)) {
    test(`${word}: whose pods get a wrapper`, async () => {
      server.put(`${places[kind]}/web`, makerOf(kind, podOf("web", asking)));
      const { exitCode, out } = await explain([word, "web", "-n", "shop"]);
      expect(out).toStartWith(
        `${kind} shop/web makes pods that are injected into: it asks for it\n`,
      );
      expect(exitCode).toBe(0);
    });
  }

  const deployment = `${apps}/deployments/web`;
  test("whose pods are refused, with its controller's newest errors, each once", async () => {
    server.put(deployment, makerOf("Deployment", podOf("web", { "svc.internal/inject": "true" })));
    const names = ["web-5d9c", "web-5d9c", "web", "other", "webber-1"];
    for (const [index, name] of names.entries()) {
      server.put(`/api/v1/namespaces/shop/events/e${index}`, {
        ...{
          involvedObject: { name },
          message: `denied ${name === "web" ? "a\tsecond time" : name}`,
        },
      });
    }
    const { exitCode, out } = await explain(["deployment/web", "-n", "shop"]);
    expect(exitCode).toBe(2);
    expect(out).toStartWith("Deployment shop/web makes pods that are refused: ");
    expect(out).toContain("svc.internal/vault-address: must be set");
    expect(out).toEndWith(
      "pods that could not be made:\n  denied web-5d9c\n  denied a second time\n",
    );
    const asked = server.requests.findLast(({ path }) => path.endsWith("/events"));
    expect(asked?.query).toMatchObject({ fieldSelector: "reason=FailedCreate" });
  });

  test("whose pods would get one, if the operator were there", async () => {
    putOperator(0);
    server.put(deployment, makerOf("Deployment", podOf("web", asking)));
    const { exitCode, out } = await explain(["deployment/web", "-n", "shop"]);
    expect(exitCode).toBe(2);
    expect(out).toStartWith("Deployment shop/web makes pods that would be injected into: ");
  });

  test("ends with the story of its pods, the worst first, and no more than five", async () => {
    server.put(deployment, makerOf("Deployment", podOf("web", asking)));
    const stories: Readonly<Record<string, object>> = {
      a: statusOf({ state: running, started: true }),
      b: statusOf({ state: running, started: false }),
      c: statusOf({ state: ended }),
      ...{ d: statusOf({ state: running }), e: statusOf({ state: running }) },
    };
    for (const [name, status] of Object.entries(stories)) {
      server.put(`${pods}/web-${name}`, await injected(`web-${name}`, status));
    }
    server.put(`${pods}/bare`, podOf("bare", asking));
    server.put(`${pods}/other`, { ...podOf("other", asking), metadata: { name: "other" } });
    const { exitCode, out } = await explain(["deployment/web", "-n", "shop"]);
    expect(exitCode).toBe(4);
    expect(out).toStartWith(
      "Deployment shop/web makes pods that are injected into, and programs do not run: it asks for it\n",
    );
    expect(out).toEndWith(`how far its pods have come:
  web-c: fails
    app: its wrapper ended with 125
      VAULT_FAILED: log in as role api: status 403
      hint: ask for the role
  web-b: waits
    app: it has started, and its program has not
  bare: it has no wrapper: create it again
  web-a: runs
  web-d: runs
  and 1 more, which fare as the last one or better
`);
  });

  const requirements = [
    ["In", ["a", "b"], "tier in (a,b)"],
    ["NotIn", ["a"], "tier notin (a)"],
    ["Exists", undefined, "tier"],
    ["DoesNotExist", undefined, "!tier"],
  ] as const;
  for (const [operator, values, text] of requirements) {
    test(`finds its pods by a selector with ${operator}`, async () => {
      const made = makerOf("Deployment", podOf("web", asking));
      const matchExpressions = [{ key: "tier", operator, ...(values && { values }) }];
      server.put(deployment, {
        ...made,
        spec: {
          ...Object(made["spec"]),
          selector: { matchLabels: { app: "web" }, matchExpressions },
        },
      });
      await explain(["deployment/web", "-n", "shop"]);
      const asked = server.requests.findLast(({ path }) => path === pods);
      expect(asked?.query["labelSelector"]).toBe(`app=web,${text}`);
    });
  }

  test("whose pods all lack it is not as it was asked for", async () => {
    server.put(deployment, makerOf("Deployment", podOf("web", asking)));
    server.put(`${pods}/bare`, podOf("bare", asking));
    const { exitCode, out } = await explain(["deployment/web", "-n", "shop"]);
    expect(exitCode).toBe(2);
    expect(out).toContain("  bare: it has no wrapper: create it again\n");
  });

  test("without a selector finds its pods by their owners", async () => {
    server.put(`${places["CronJob"]}/web`, makerOf("CronJob", podOf("web", asking)));
    for (const [name, owner] of [
      ["mine", "web-1"],
      ["theirs", "webber-1"],
    ] as const) {
      const pod = await injected(name, statusOf({ state: ended }));
      const ownerReferences = [{ kind: "Job", name: owner }];
      server.put(`${pods}/${name}`, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
    }
    const { exitCode, out } = await explain(["cronjob/web", "-n", "shop"]);
    expect(exitCode).toBe(4);
    expect(out).toContain("  mine: fails\n");
    expect(out).not.toContain("theirs");
  });

  test("of an image whose command has to be looked up", async () => {
    server.put(deployment, makerOf("Deployment", podOf("web", asking, {})));
    const { out } = await explain(["deploy/web", "-n", "shop"]);
    expect(out).toContain(
      `not known from here:\n  the command of image ${image}: the operator has to ask its registry; --look-up-images asks from here\n`,
    );
    server.put(`${pods}/web-1`, await injected("web-1", statusOf({ state: running })));
    expect((await explain(["deploy/web", "-n", "shop"])).out).not.toContain("not known");
  });

  test("of an image at a registry that only the operator logs in to", async () => {
    putOperator(1, [
      ...["--registry-logins=registry.test=azure", "--registry-login-namespaces=*=shop"],
    ]);
    server.put(deployment, makerOf("Deployment", podOf("web", asking, {})));
    const { out } = await explain(["deploy/web", "-n", "shop", "--look-up-images"]);
    expect(out).toContain(
      `the command of image ${image}: the operator logs in there with azure, which this command cannot\n`,
    );
  });

  test("for programs", async () => {
    server.put(deployment, makerOf("Deployment", podOf("web", asking)));
    const { out } = await explain(["deployment", "web", "-n", "shop", "-o", "json"]);
    expect(JSON.parse(out)).toEqual({
      ...{ kind: "Deployment", namespace: "shop", name: "web", place: "spec.template" },
      ...{ verdict: "would-inject", reason: "it asks for it", exitStatus: 0, containers: ["app"] },
      ...{ warnings: [], obstacles: [], pods: [], open: [], failures: [] },
    });
  });
});
