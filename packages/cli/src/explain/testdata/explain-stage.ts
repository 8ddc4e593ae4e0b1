import { join } from "node:path";
import {
  type ObjectServer,
  plainKubeconfig,
  startObjectServer,
  temporaryFolder,
} from "@svc/testing";
import { runInject } from "../../inject/run-inject.ts";
import { type Ran, runCaptured } from "../../testdata/run-captured.ts";
import { runExplain } from "../run-explain.ts";

/** A cluster with the operator and its webhook, and the command. */
export interface ExplainStage extends AsyncDisposable {
  readonly server: ObjectServer;
  /** Makes the cluster as it was in the beginning. */
  readonly reset: () => void;
  readonly explain: (words: readonly string[], config?: string) => Promise<Ran>;
  /** Writes a kubeconfig, by default of the server. */
  readonly kubeconfig: (address?: string, context?: object) => Promise<string>;
  /** The pod as the operator makes it. */
  readonly injected: (
    name: string,
    status?: object,
    container?: object,
    annotations?: object,
  ) => Promise<InjectedPod>;
  readonly putWebhook: (changed?: object) => void;
  readonly putOperator: (availableReplicas: number, flags?: readonly string[]) => void;
}

/** A pod with a wrapper. */
export interface InjectedPod extends Readonly<Record<string, unknown>> {
  readonly metadata: object;
}

/** The annotations of a pod that asks and has all that it needs. */
export const asking = {
  "svc.internal/inject": "true",
  "svc.internal/vault-address": "https://vault.test:8200",
  "svc.internal/vault-role": "api",
  "svc.internal/secret-paths": "kv/data/api",
  "svc.internal/env-map": "password=DB_PASSWORD",
};
export const image = "registry.test/app:1";
export const pods = "/api/v1/namespaces/shop/pods";
export const apps = "/apis/apps/v1/namespaces/shop";
export const webhooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** A pod of the namespace `shop`. */
export function podOf(
  name: string,
  annotations: object,
  container: object = { command: ["/app"] },
) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app: "web" }, annotations },
    spec: { containers: [{ name: "app", image, ...container }] },
  };
}

/** An object of a kind that makes pods like `pod`. */
export function makerOf(kind: string, pod: object): Readonly<Record<string, unknown>> {
  const { spec } = Object(pod);
  const { annotations, labels } = Object(pod).metadata;
  const template = { metadata: { annotations, labels }, spec };
  const own =
    kind === "CronJob"
      ? { jobTemplate: { spec: { template } } }
      : { selector: { matchLabels: { app: "web" } }, template };
  // It is older than the webhook: that says nothing about the pods that it makes.
  const metadata = { name: "web", namespace: "shop", creationTimestamp: "2026-10-01T00:00:00Z" };
  return { kind, metadata, spec: own };
}

export const webhook = {
  name: "pods.svc.internal",
  clientConfig: {
    caBundle: "Y2E=",
    service: { namespace: "svc-system", name: "svc-operator", path: "/mutate-v1-pod" },
  },
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["left"] }],
  },
  failurePolicy: "Fail",
};

export const running = { running: {} };

/** The status of a pod with one container. */
export function statusOf(container: object): object {
  const containerStatuses = [{ name: "app", restartCount: 0, ...container }];
  return { phase: "Running", containerStatuses };
}

/** The end of a wrapper that the vault has refused. */
export const ended = {
  terminated: {
    exitCode: 125,
    reason: "Error",
    message: "VAULT_FAILED: log in as role api: status 403\nhint: ask for the role",
  },
};

/** Starts one. */
export function explainStage(): ExplainStage {
  const folder = temporaryFolder();
  const server = startObjectServer();
  const kubeconfig: ExplainStage["kubeconfig"] = async (address = server.address, context = {}) => {
    const path = join(folder.path, crypto.randomUUID());
    await Bun.write(path, plainKubeconfig(address, context));
    return path;
  };
  const stage = {
    ...{ server, kubeconfig },
    explain: async (words: readonly string[], config?: string) => {
      const environment = new Map([["KUBECONFIG", config ?? (await kubeconfig())]]);
      return runCaptured((output) => runExplain(words, environment, output));
    },
    injected: async (
      name: string,
      status: object = {},
      container?: object,
      annotations: object = {},
    ) => {
      const path = join(folder.path, `${name}.json`);
      const pod = podOf(name, { ...asking, ...annotations }, container);
      await Bun.write(path, JSON.stringify(pod));
      const words = ["-f", path, "-o", "json", "--wrapper-image=registry.test/svc:1"];
      const { out } = await runCaptured((output) => runInject(words, output));
      return { ...JSON.parse(out), status };
    },
    putWebhook: (changed: object = {}) => putWebhook(server, changed),
    putOperator: (availableReplicas: number, flags: readonly string[] = []) =>
      putOperator(server, availableReplicas, flags),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
  return { ...stage, reset: () => reset(stage) };
}

function reset({
  server,
  putWebhook: webhookAgain,
  putOperator: operatorAgain,
}: Pick<ExplainStage, "server" | "putWebhook" | "putOperator">): void {
  server.remove();
  server.intercept = () => undefined;
  for (const name of ["shop", "left"]) {
    const labels = { "kubernetes.io/metadata.name": name };
    server.put(`/api/v1/namespaces/${name}`, { metadata: { labels } });
  }
  webhookAgain();
  operatorAgain(1);
}

function putWebhook(server: ObjectServer, changed: object): void {
  const metadata = { name: "svc-operator", creationTimestamp: "2026-11-01T00:00:00Z" };
  const other = { clientConfig: { url: "https://other.test/hook" } };
  server.put(`${webhooks}/other`, { metadata: { name: "other" }, webhooks: [other] });
  server.put(`${webhooks}/svc-operator`, { metadata, webhooks: [{ ...webhook, ...changed }] });
}

function putOperator(
  server: ObjectServer,
  availableReplicas: number,
  flags: readonly string[],
): void {
  const labels = { app: "svc-operator" };
  const words = ["svc-operator", "--wrapper-image=registry.test/svc:1", ...flags];
  const template = { metadata: { labels }, spec: { containers: [{ command: words }] } };
  const system = "svc-system";
  server.put(`/api/v1/namespaces/${system}/services/svc-operator`, { spec: { selector: labels } });
  const deployments = `/apis/apps/v1/namespaces/${system}/deployments`;
  const decoy = { ...template, metadata: { labels: { app: "another-operator" } } };
  server.put(`${deployments}/another`, {
    metadata: { name: "another" },
    spec: { template: decoy },
  });
  server.put(`${deployments}/svc-operator`, {
    metadata: { name: "svc-operator" },
    ...{ spec: { template }, status: { availableReplicas } },
  });
}
