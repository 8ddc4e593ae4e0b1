import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { refusal } from "@svc/testing";
import {
  asking,
  ended,
  explainStage,
  podOf,
  pods,
  running,
  statusOf,
  webhook,
  webhooks,
} from "./testdata/explain-stage.ts";

const stage = explainStage();
const { server, explain, injected, putWebhook, putOperator } = stage;
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(stage.reset);

describe("a pod with a wrapper", () => {
  const head = "containers with the wrapper:\n  app\nhow far it has come:\n";
  const rows = [
    [
      "runs: status 0",
      statusOf({ state: running, started: true }),
      0,
      `was injected into: it asked for it, and the operator did it\n${head}  app: it runs\n`,
    ],
    [
      "waits: status 3",
      statusOf({ state: running, started: false }),
      3,
      `was injected into, and its program does not run yet: it asked for it, and the operator did it\n${head}  app: it has started, and its program has not\n`,
    ],
    [
      "was refused by the vault: status 4, with the wrapper's words",
      statusOf({ state: ended }),
      4,
      `was injected into, and its program does not run: it asked for it, and the operator did it\n${head}  app: its wrapper ended with 125\n    VAULT_FAILED: log in as role api: status 403\n    hint: ask for the role\n`,
    ],
    [
      "was evicted: status 4, with the pod's words",
      { phase: "Failed", reason: "Evicted", message: "low on memory" },
      4,
      `was injected into, and its program does not run: it asked for it, and the operator did it\n${head}  Evicted: low on memory\n  app: no node has started it\n`,
    ],
  ] as const;
  for (const [name, status, exitCode, text] of rows) {
    test(name, async () => {
      server.put(`${pods}/web`, await injected("web", status));
      const ran = await explain(["pod", "web", "-n", "shop"]);
      expect(ran).toEqual({ exitCode, out: `Pod shop/web ${text}`, err: "" });
    });
  }
});

describe("a pod that waits", () => {
  const proxied = `${pods}/web:8199/proxy/v1/check`;
  const explained = async (status: object) => {
    server.put(`${pods}/web`, await injected("web", status));
    return (await explain(["pod", "web", "-n", "shop"])).out;
  };
  const starting = statusOf({ state: running, started: false });

  test("says its wrapper's reason, without control characters", async () => {
    const reason = "the secrets are being fetched: connect: refused\u001b[1m (UNREACHABLE)";
    server.put(proxied, { state: "waiting", reason, code: "VAULT_FAILED" });
    expect(await explained(starting)).toContain(
      "app: it has started, and its program has not: the secrets are being fetched: connect: refused [1m (UNREACHABLE)\n",
    );
  });

  test("says as before with a wrapper that has no such page, or tells nothing", async () => {
    for (const answer of [undefined, {}, { reason: 7 }]) {
      if (answer !== undefined) server.put(proxied, answer);
      expect(await explained(starting)).toEndWith("its program has not\n");
    }
  });

  test("says why the wrapper could not be asked", async () => {
    server.intercept = ({ path }) =>
      path === proxied ? refusal(403, "Forbidden", "pods/proxy is forbidden") : undefined;
    const out = await explained(starting);
    expect(out).toContain("not known from here:\n  why the program of web does not run: ask the");
    expect(out).toContain("status 403");
  });

  test("says the last warning about it while no container has started", async () => {
    const involvedObject = { name: "web" };
    const times = ["2026-11-29T03:00:02Z", "2026-11-29T03:00:01Z"];
    for (const [index, lastTimestamp] of times.entries()) {
      const message = `secret "ca-${index}" not found`;
      server.put(`/api/v1/namespaces/shop/events/e${index}`, {
        ...{ metadata: { name: `e${index}` }, involvedObject, lastTimestamp },
        ...{ type: "Warning", reason: "FailedMount", message },
      });
    }
    const out = await explained(statusOf({ state: { waiting: { reason: "ContainerCreating" } } }));
    expect(out).toContain('  FailedMount: secret "ca-0" not found\n  app: it waits');
    const asked = server.requests.findLast(
      ({ path, query }) => path.endsWith("/events") && query["fieldSelector"]?.includes("web"),
    );
    expect(asked?.query["fieldSelector"]).toBe("involvedObject.name=web,type=Warning");
  });
});

describe("a pod that asks for the node's agent", () => {
  const proxied = `${pods}/web:8199/proxy/v1/check`;
  const reason = "connect: no such file\u001b[1m";
  const line = "pod web, container app: no kernel agent of its node watches the program";
  const rows: readonly (readonly [
    string,
    answer: Readonly<Record<string, unknown>> | undefined,
    warnings: string,
  ])[] = [
    ["and its node has one", { agent: { connected: true } }, ""],
    ["and its wrapper is older than the word", { state: "current" }, ""],
    ["and its wrapper is older than the page", undefined, ""],
    [
      "and its node has none",
      { agent: { connected: false, reason } },
      `warnings:\n  ${line}: connect: no such file [1m\n`,
    ],
    [
      "and its wrapper does not say why",
      { agent: { connected: false, reason: 7 } },
      `warnings:\n  ${line}\n`,
    ],
  ];
  for (const [name, answer, warnings] of rows) {
    test(name, async () => {
      if (answer !== undefined) server.put(proxied, answer);
      const status = statusOf({ state: running, started: true });
      const annotations = { "svc.internal/ebpf": "true" };
      server.put(`${pods}/web`, await injected("web", status, undefined, annotations));
      const { exitCode, out } = await explain(["pod", "web", "-n", "shop"]);
      expect([exitCode, out.split("app: it runs\n")[1]]).toEqual([0, warnings]);
    });
  }

  test("and one that does not ask is not asked", async () => {
    server.put(proxied, { agent: { connected: false } });
    server.put(`${pods}/web`, await injected("web", statusOf({ state: running, started: true })));
    const before = server.requests.length;
    expect((await explain(["pod", "web", "-n", "shop"])).out).toEndWith("app: it runs\n");
    const paths = server.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith("/v1/check"))).toEqual([]);
  });
});

describe("a pod without a wrapper", () => {
  const old = { creationTimestamp: "2026-10-01T00:00:00Z" };
  const rows: readonly (readonly [string, () => void, object, number, readonly string[]])[] = [
    [
      "does not ask: with how to ask",
      () => undefined,
      podOf("web", {}),
      0,
      [
        "was not injected into: it does not ask for it: neither an annotation nor a label svc.internal/inject is there\n",
      ],
    ],
    [
      "would get one now",
      () => undefined,
      podOf("web", asking),
      2,
      ["it asks for it and would get it now: when it was created, the operator was not asked"],
    ],
    [
      "asks in a cluster without the webhook",
      () => server.remove(`${webhooks}/svc-operator`),
      podOf("web", asking),
      2,
      ["something was in the way\n", "no webhook of the operator is configured in this cluster"],
    ],
    [
      "is older than the webhook, which has no certificate yet",
      () => putWebhook({ clientConfig: { service: webhook.clientConfig.service } }),
      { ...podOf("web", asking), metadata: { ...podOf("web", asking).metadata, ...old } },
      2,
      [
        "has no CA bundle yet: until the operator has written it, pods that ask are refused\n",
        "the pod is older than the webhook: create it again\n",
      ],
    ],
    [
      "has labels that the webhook does not choose",
      () =>
        putWebhook({ objectSelector: { matchLabels: { svc: "yes" } }, failurePolicy: "Ignore" }),
      podOf("web", asking),
      2,
      ["the pod's labels are excluded by the objectSelector of webhook configuration svc-operator"],
    ],
    [
      "asks while no operator is available, and its webhook is ignored then",
      () => {
        putWebhook({ failurePolicy: "Ignore" });
        putOperator(0);
      },
      podOf("web", asking),
      2,
      ["no replica of the operator is available: until one is, pods are admitted without secrets"],
    ],
    [
      "asks by a prefix that is the operator's",
      () => putOperator(1, ["--annotation-prefix=secrets.test"]),
      podOf("web", asking),
      0,
      ["neither an annotation nor a label secrets.test/inject is there\n"],
    ],
  ];
  for (const [name, prepare, pod, exitCode, texts] of rows) {
    test(name, async () => {
      prepare();
      server.put(`${pods}/web`, { ...pod });
      const ran = await explain(["pod/web", "-n", "shop"]);
      expect(ran).toMatchObject({ exitCode, err: "" });
      for (const text of texts) expect(ran.out).toContain(text);
    });
  }

  test("in a namespace that is left out", async () => {
    server.put("/api/v1/namespaces/left/pods/web", podOf("web", asking));
    const { exitCode, out } = await explain(["pod", "web", "--namespace=left"]);
    expect(exitCode).toBe(2);
    expect(out).toContain(
      "in the way:\n  namespace left is excluded by the namespaceSelector of webhook configuration svc-operator\n",
    );
  });
});
