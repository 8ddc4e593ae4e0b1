import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askKubernetes, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { makeNamespace } from "../harness/kubernetes/operator-release.ts";
import {
  askingPod,
  type CreatedPod,
  createPod,
  messageIn,
  podOf,
  variableIn,
  wrappedIn,
} from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { deleteConfig, putConfig } from "./svc-configs.ts";

const TIMEOUT_MS = 180_000;
let operator: RunningOperator;
beforeAll(async () => {
  // No test asks a registry outside of this machine.
  operator = await runningOperator({
    values: withValues({ settings: { defaultRegistry: "none" } }),
  });
  await makeNamespace(operator.kube, "bank");
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

const create = (pod: object, namespace?: string) =>
  createPod(operator.kube, pod, namespace === undefined ? {} : { namespace });
/** Asks and says nothing else. */
const bare = (annotations: object = {}) => podOf({ "svc.internal/inject": "true", ...annotations });
const judged = () =>
  [...operator.replicas].flatMap((replica) =>
    replica.log().filter(({ message }) => message === "pod judged"),
  );

/**
 * Creates pods until one is as it has to be: replicas learn of changes a moment after they are
 * stored.
 */
async function createUntil(
  pod: object,
  isRight: (created: CreatedPod) => boolean,
  namespace?: string,
): Promise<CreatedPod> {
  let last: CreatedPod | undefined;
  const created = async () => {
    last = await create(pod, namespace);
    return isRight(last) ? last : undefined;
  };
  return waitFor(created, { deadlineMs: 60_000, what: "such a pod" }).catch((cause) => {
    throw new TypeError(`the last one: ${last?.status} ${String(last?.body["message"])}`, {
      cause,
    });
  });
}

const addressOf = (created: CreatedPod) => variableIn(created, "VAULT_ADDR");
const hasAddress = (address: string) => (created: CreatedPod) => addressOf(created) === address;

describe("a pod that asks is injected into", () => {
  test("by an annotation", async () => {
    const created = await create(askingPod());
    expect([created.status, wrappedIn(created)]).toEqual([201, ["app"]]);
    expect(addressOf(created)).toBe("https://vault.test:8200");
  });

  test("by a label", async () => {
    const { "svc.internal/inject": label, ...annotations } = Object(askingPod()).metadata
      .annotations;
    const pod = podOf(annotations);
    const metadata = { ...Object(pod).metadata, labels: { "svc.internal/inject": label } };
    expect(wrappedIn(await create({ ...pod, metadata }))).toEqual(["app"]);
  });

  test("in a dry run, of which nothing stays", async () => {
    const created = await createPod(operator.kube, askingPod(), { dryRun: true });
    expect(wrappedIn(created)).toEqual(["app"]);
    expect(judged().at(-1)).toMatchObject({ dryRun: true });
    const { name } = Object(created.body["metadata"]);
    const path = `/api/v1/namespaces/shop/pods/${name}`;
    expect((await askKubernetes(operator.kube, { method: "GET", path })).status).toBe(404);
  });
});

test("a pod without a word is stored as it came, and the operator is not asked", async () => {
  const before = judged().length;
  const pod = podOf({ "example.test/inject": "true" });
  const created = await create(pod);
  expect(created.status).toBe(201);
  expect(created.body["spec"]).toMatchObject(Object(pod).spec);
  expect(judged()).toHaveLength(before);
});

describe("a pod that is refused has a message that says how to mend it:", () => {
  const [head, foot] = [
    "inject secrets into pod api-*: cannot:",
    "to start it without secrets take svc.internal/inject out of its annotations and labels",
  ];
  const windows = { "kubernetes.io/os": "windows" };
  const rows: Readonly<Record<string, readonly [pod: object, lines: readonly string[]]>> = {
    "nothing but the request": [
      bare(),
      [
        "svc.internal/vault-address: must be set: it is not, and there is no SvcConfig for the pod (annotate it, or have a SvcConfig called default in the pod's namespace)",
        "svc.internal/vault-role: must be set: it is not, and there is no SvcConfig for the pod",
        "svc.internal/secret-paths: must be set: it is not, and there is no SvcConfig for the pod",
        "svc.internal/env-map: must be set: it is not, and there is no SvcConfig for the pod",
      ],
    ],
    "a request in other words": [
      askingPod({ "svc.internal/inject": "yes" }),
      ['svc.internal/inject: must be "true" or "false": got "yes" (write "true")'],
    ],
    "a misspelt name": [
      askingPod({ "svc.internal/vaultaddress": "x" }),
      [
        "svc.internal/vaultaddress: must be an annotation that the operator knows: there is none of this name (did you mean svc.internal/vault-address?)",
      ],
    ],
    "a misspelt value": [
      askingPod({ "svc.internal/rotation": "retsart" }),
      [
        'svc.internal/rotation: must be one of restart, sighup, none: got "retsart" (did you mean restart?)',
      ],
    ],
    "a SvcConfig that is not there": [
      bare({ "svc.internal/config": "nope" }),
      [
        'svc.internal/config: must be the name of a SvcConfig in the pod\'s namespace: there is none called "nope"',
      ],
    ],
    "another system": [
      Object.assign(askingPod(), { spec: { ...Object(podOf()).spec, nodeSelector: windows } }),
      ["pod: must be of Linux: it is of windows (the wrapper is a Linux program)"],
    ],
    "an image of Docker Hub, if its registry is not to be asked": [
      askingPod({}, { command: undefined, image: "app:1" }),
      [
        "container app: must be one whose program is known: the container has no command, and the command of image app:1 is not known: docker.io has no mirror in the settings; set the container's command; the administrator may set --registry-mirrors (operator.settings.registryMirrors) or --default-registry (operator.settings.defaultRegistry) (set the command of the container in the pod)",
      ],
    ],
  };
  for (const [name, [pod, lines]] of Object.entries(rows)) {
    test(name, async () => {
      const created = await create(pod);
      expect(created.status).toBe(403);
      expect(messageIn(created).split("\n")).toEqual([head, ...lines, foot]);
    });
  }
});

describe("a SvcConfig", () => {
  test("called default is for the pods of its namespace and no other", async () => {
    await putConfig(operator.kube, { name: "default" });
    await createUntil(bare(), hasAddress("https://vault.test:8200"));
    expect((await create(bare(), "bank")).status).toBe(403);
  });

  test("applies if annotations set nothing", async () => {
    const created = await create(bare({ "svc.internal/vault-role": "own" }));
    expect(variableIn(created, "VAULT_AUTH_ROLE")).toBe("own");
    expect(addressOf(created)).toBe("https://vault.test:8200");
  });

  test("that was changed gives the next pods its new values", async () => {
    await putConfig(operator.kube, { name: "default" }, { vaultAddress: "https://two.test:8200" });
    await createUntil(bare(), hasAddress("https://two.test:8200"));
  });

  test("that is named when it is a breath old is found, however late the watch is", async () => {
    for (let count = 0; count < 20; count++) {
      const name = `young-${count}`;
      const vaultAddress = `https://${name}.test:8200`;
      await putConfig(operator.kube, { name }, { vaultAddress });
      const created = await create(bare({ "svc.internal/config": name }));
      expect([addressOf(created), messageIn(created)]).toEqual([vaultAddress, ""]);
    }
  });

  test("with a selector takes precedence over the default, and two that match are refused by name", async () => {
    const selector = { matchLabels: { tier: "front" } };
    await putConfig(operator.kube, { name: "front" }, { selector, vaultRole: "front" });
    const pod = bare();
    const metadata = { ...Object(pod).metadata, labels: { tier: "front" } };
    const isFront = (created: CreatedPod) => variableIn(created, "VAULT_AUTH_ROLE") === "front";
    await createUntil({ ...pod, metadata }, isFront);
    expect(variableIn(await create(pod), "VAULT_AUTH_ROLE")).toBe("shop");
    await putConfig(operator.kube, { name: "other" }, { selector });
    const refused = await createUntil({ ...pod, metadata }, ({ status }) => status === 403);
    expect(messageIn(refused)).toContain("they are of front, other");
    await deleteConfig(operator.kube, { name: "other" });
    await createUntil({ ...pod, metadata }, isFront);
  });

  test("has the last word on addresses that its namespace's pods may name", async () => {
    const allowedAddresses = ["https://vault.test:8200"];
    await putConfig(operator.kube, { name: "default" }, { allowedAddresses });
    const elsewhere = bare({ "svc.internal/vault-address": "https://evil.test:8200" });
    const refused = await createUntil(elsewhere, ({ status }) => status === 403);
    expect(messageIn(refused)).toContain(
      'svc.internal/vault-address: must be one of the allowed addresses, https://vault.test:8200: got "https://evil.test:8200"',
    );
  });

  test("that was deleted applies to no pod", async () => {
    await deleteConfig(operator.kube, { name: "default" });
    const refused = await createUntil(bare(), ({ status }) => status === 403);
    expect(messageIn(refused)).toContain("there is no SvcConfig");
  });
});

describe("the chart's values reach pods:", () => {
  test(
    "a SvcConfig for namespaces that have none, which is there and is not",
    async () => {
      await operator.upgrade(withValues({ settings: { defaultConfig: "bank/everybodys" } }));
      const missing = await create(bare());
      expect(missing.status).toBe(403);
      expect(messageIn(missing)).toContain(
        "the operator's --default-config: must be there: bank/everybodys is not (create it, or put a SvcConfig called default into the pod's namespace)",
      );
      await putConfig(
        operator.kube,
        { name: "everybodys", namespace: "bank" },
        { vaultRole: "all" },
      );
      const isAll = (created: CreatedPod) => variableIn(created, "VAULT_AUTH_ROLE") === "all";
      await createUntil(bare(), isAll);
      await createUntil(bare(), isAll, "bank");
    },
    TIMEOUT_MS,
  );

  test(
    "addresses that pods may name, which a SvcConfig cannot widen",
    async () => {
      const allowedAddresses = ["https://vault.test:8200"];
      await operator.upgrade(withValues({ settings: { allowedAddresses } }));
      expect((await create(askingPod())).status).toBe(201);
      const other = "https://other.test:8200";
      const byItself = await create(askingPod({ "svc.internal/vault-address": other }));
      expect(messageIn(byItself)).toContain(`got "${other}"`);
      const wide = { vaultAddress: other, allowedAddresses: [other] };
      await putConfig(operator.kube, { name: "wide" }, wide);
      const byConfig = await create(bare({ "svc.internal/config": "wide" }));
      expect(messageIn(byConfig)).toContain(
        `SvcConfig shop/wide: vaultAddress: must be one of the allowed addresses, https://vault.test:8200: got "${other}"`,
      );
      const byVariable = { env: [{ name: "VAULT_ADDR", value: other }] };
      expect((await create(askingPod({}, byVariable))).status).toBe(403);
    },
    TIMEOUT_MS,
  );

  test(
    "another prefix",
    async () => {
      await operator.upgrade(withValues({ settings: { annotationPrefix: "secrets.test" } }));
      const annotations = Object.fromEntries(
        Object.entries(Object(askingPod()).metadata.annotations).map(([name, value]) => [
          name.replace("svc.internal", "secrets.test"),
          value,
        ]),
      );
      expect(wrappedIn(await create(podOf(annotations)))).toEqual(["app"]);
      // The API server learns of the policy's prefix a moment after it is stored.
      const isLeft = async () => {
        const old = await create(askingPod());
        return old.status === 201 && wrappedIn(old).length === 0;
      };
      await waitFor(isLeft, { deadlineMs: 60_000, what: "the old prefix to mean nothing" });
    },
    TIMEOUT_MS,
  );

  test(
    "pods that cannot be injected into are let in with a warning if that is wanted",
    async () => {
      const replica = await operator.upgrade(withValues({ settings: { whenImpossible: "admit" } }));
      // The API server learns of the policy and of its binding one after the other.
      const isLetIn = ({ status }: CreatedPod) => status === 201;
      const created = await createUntil(bare({ "svc.internal/config": "nope" }), isLetIn);
      expect(wrappedIn(created)).toEqual([]);
      expect(replica.log().at(-1)).toMatchObject({
        outcome: "skipped",
        reason: "it cannot be injected into, and is admitted by the operator's settings",
        unmet: ["svc.internal/config: must be the name of a SvcConfig in the pod's namespace"],
      });
    },
    TIMEOUT_MS,
  );
});
