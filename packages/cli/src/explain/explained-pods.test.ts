import { afterAll, beforeEach, describe, expect, test } from "bun:test";
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
