import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyObject, CANARY_PREFIX, kubeconfig, temporaryFolder, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { makeNamespace } from "../harness/kubernetes/operator-release.ts";
import { type CloudStage, cloudStage } from "../harness/registry/cloud-stage.ts";
import { askingPod, type CreatedPod, createPod, messageIn, variableIn } from "./created-pods.ts";
import { runExplain } from "./run-explain.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 240_000;
const program = join(import.meta.dirname, "../../dist/bin/svc-operator");
const clouds = ["aws", "google", "azure"] as const;
const sources = [...clouds, "docker-config"] as const;
let stage: CloudStage;
let operator: RunningOperator;
const everything: CreatedPod[] = [];

beforeAll(async () => {
  stage = await cloudStage();
  const of = <T>(value: (cloud: CloudStage["clouds"][number]) => T) =>
    Object.fromEntries(stage.clouds.map((cloud) => [cloud.registry, value(cloud)]));
  const settings = {
    ...{ shutdownDelay: "200ms", shutdownGrace: "10s" },
    insecureRegistries: of(() => "http"),
    registryLogins: of(({ source }) => source),
    registryLoginNamespaces: of(() => ["shop"]),
    dockerConfig: stage.docker.config,
    credentialHelpers: stage.docker.helpers,
  };
  operator = await runningOperator({ values: withValues({ settings }), replicas: 0 });
  await makeNamespace(operator.kube, "bank");
  await operator.replace({ env: stage.environment });
}, TIMEOUT_MS);
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function create(source: (typeof sources)[number], namespace = "shop"): Promise<CreatedPod> {
  const registry = stage.clouds.find((cloud) => cloud.source === source)?.registry;
  const pod = askingPod({}, { command: undefined, image: `${registry}/app` });
  const created = await createPod(operator.kube, pod, { namespace });
  everything.push(created);
  return created;
}

function lines(): readonly string[] {
  return [...operator.replicas].flatMap((replica) =>
    replica.log().map(({ level, message }) => `${level} ${message}`),
  );
}

describe("a pod whose container has no command", () => {
  for (const source of sources) {
    test(`is injected into from a registry of ${source}`, async () => {
      const created = await create(source);
      const started = ["SVC_ORIGINAL_CMD", "SVC_ORIGINAL_ARGS"].map((name) =>
        variableIn(created, name),
      );
      expect([messageIn(created), ...started]).toEqual(["", '["/bin/app"]', '["serve"]']);
    });

    test(`is refused in a namespace that the login at ${source} is not for`, async () => {
      const refused = await create(source, "bank");
      expect(refused.status).toBe(403);
      expect(messageIn(refused)).toContain("it asks for credentials, and no pull secret matches");
    });
  }
});

test("the log says at the start that each login works", async () => {
  for (const { registry } of stage.clouds) {
    const isThere = () =>
      lines().some((line) => line.startsWith("info") && line.includes(`at ${registry} works`));
    await waitFor(isThere, { deadlineMs: 30_000, what: `the login at ${registry}` });
  }
});

test("svc explain says that it cannot log in as the operator does", async () => {
  const [cloud] = stage.clouds;
  const image = `${cloud?.registry}/app`;
  const labels = { app: "image" };
  const pod = Object(askingPod({}, { command: undefined, image }));
  const { annotations } = pod.metadata;
  const template = { metadata: { labels, annotations }, spec: pod.spec };
  await applyObject(operator.kube, {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: { name: "image", namespace: "shop" },
    spec: { selector: { matchLabels: labels }, template },
  });
  using folder = temporaryFolder();
  const config = join(folder.path, "config");
  writeFileSync(config, kubeconfig(operator.kube));
  const words = ["deploy/image", "-n", "shop", "--look-up-images"];
  const { out } = await runExplain(config, words);
  expect(out).toContain(
    `the command of image ${image}: the operator logs in there with ${cloud?.source}, which this command cannot`,
  );
});

describe("with tokens of another service account", () => {
  beforeAll(async () => {
    const tokens = await stage.writeTokens("system:serviceaccount:other:other");
    await operator.replace({ env: { ...stage.environment, ...tokens } });
  }, TIMEOUT_MS);

  const hints = {
    aws: "AssumeRoleWithWebIdentity",
    google: "attribute condition",
    azure: "no federated credential has the operator's service account as its subject",
  };
  for (const source of clouds) {
    test(`the refusal and the log name the step at ${source} and what to change`, async () => {
      const message = messageIn(await create(source));
      expect(message).toContain(`log in with ${source}: `);
      expect(message).toContain(hints[source]);
      const isThere = () =>
        lines().some((line) => line.startsWith("warn") && line.includes(hints[source]));
      await waitFor(isThere, { deadlineMs: 30_000, what: `the warning about ${source}` });
    });
  }
});

test("a variable that does not do ends the operator with its name", async () => {
  const replica = operator.start({ env: { ...stage.environment, AWS_REGION: "evil.test/" } });
  expect(await replica.process.ended).toBe(125);
  expect(replica.process.output()).toContain("AWS_REGION: must be the name of a region");
  await operator.kill(replica);
});

test("without logins the operator reads no variable", async () => {
  const words = ["--wrapper-image=registry.test/svc:1", "--namespace=x", "--kubeconfig=/nowhere"];
  const child = Bun.spawn([program, ...words], {
    env: { AWS_REGION: "evil.test/", AWS_ROLE_ARN: "x" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect(`${out}${err}`).toContain("/nowhere");
  expect(`${out}${err}`).not.toContain("AWS_");
});

test("no token, key or password is in a log or an answer of the API server", () => {
  const said = `${operator.outputs()}${JSON.stringify(everything)}`;
  expect(said).not.toContain(CANARY_PREFIX);
  // Tokens of service accounts are JWTs.
  expect(operator.outputs()).not.toMatch(/eyJ[\w-]{20,}/);
});
