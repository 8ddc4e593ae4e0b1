import {
  type AdmissionContext,
  type AdmissionServer,
  type AdmissionServerOptions,
  type DecisionRecord,
  operatorMetrics,
  serveAdmission,
} from "@svc/operator";
import {
  applyObject,
  askKubernetes,
  certificateAuthority,
  type Kubernetes,
  startKubernetes,
  waitFor,
} from "@svc/testing";

const INJECTS = "svc-tests/injects";

/** An API server that asks a webhook of ours about the pods of two namespaces. */
export interface AdmissionStage extends AsyncDisposable {
  readonly kube: Kubernetes;
  readonly records: DecisionRecord[];
  /** The context of the webhook, which tests may change. */
  readonly context: { current: AdmissionContext };
  readonly metrics: () => Promise<string>;
  /** Ends the webhook, or starts it again on the same port. */
  readonly stopWebhook: () => Promise<void>;
  readonly startWebhook: (options?: Partial<AdmissionServerOptions>) => Promise<void>;
  /**
   * In namespace `shop`, of which the webhook is asked for 10 seconds, or in `hurried`, for which
   * it is 2.
   */
  readonly createPod: (pod: object, wanted?: PodRequest) => Promise<CreatedPod>;
}

/** How a pod is created. */
export interface PodRequest {
  readonly namespace?: "shop" | "hurried";
  readonly dryRun?: boolean;
}

/** The API server's answer. */
export interface CreatedPod {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Starts both; the namespace has its default account. */
export async function admissionStage(context: AdmissionContext): Promise<AdmissionStage> {
  await using stack = new AsyncDisposableStack();
  const kube = stack.use(await startKubernetes());
  const authority = await certificateAuthority("svc test webhook CA");
  const records: DecisionRecord[] = [];
  const known = { current: context };
  let server: AdmissionServer | undefined;
  const startWebhook = async (options: Partial<AdmissionServerOptions> = {}): Promise<void> => {
    server = serveAdmission({
      hostname: "127.0.0.1",
      port: server?.port ?? 0,
      certificate: await authority.issue(),
      context: throughHolder(known),
      metrics: operatorMetrics(),
      log: (record) => records.push(record),
      notReady: () => undefined,
      ...options,
    });
  };
  const stopWebhook = async () => server?.stop({ lingerMs: 0, graceMs: 1000 });
  await startWebhook();
  stack.defer(stopWebhook);
  const address = `https://127.0.0.1:${server?.port}`;
  const clientConfig = {
    url: `${address}/mutate-v1-pod`,
    caBundle: Buffer.from(authority.certificatePem).toString("base64"),
  };
  await configure(kube, { namespace: "shop", timeoutSeconds: 10, clientConfig });
  await configure(kube, { namespace: "hurried", timeoutSeconds: 2, clientConfig });
  const tls = { ca: authority.certificatePem };
  const metrics = async () => (await fetch(`${address}/metrics`, { tls })).text();
  const createPod = async (pod: object, wanted: PodRequest = {}): Promise<CreatedPod> => {
    const { namespace = "shop", dryRun = false } = wanted;
    const path = `/api/v1/namespaces/${namespace}/pods${dryRun ? "?dryRun=All" : ""}`;
    const { status, body } = await askKubernetes(kube, { method: "POST", path, body: pod });
    return { status, body: body ?? {} };
  };
  for (const namespace of ["shop", "hurried"] as const) {
    await waitFor(async () => isAsked({ createPod, records }, namespace), {
      deadlineMs: 30_000,
      what: "the API server to ask the webhook",
    });
  }
  const running = stack.move();
  const dispose = () => running.disposeAsync();
  const stage = { kube, records, context: known, metrics, stopWebhook, startWebhook, createPod };
  return { ...stage, [Symbol.asyncDispose]: dispose };
}

function throughHolder(known: { readonly current: AdmissionContext }): AdmissionContext {
  return {
    get operator() {
      return known.current.operator;
    },
    configsOf: (...given) => known.current.configsOf(...given),
    clusterDefault: () => known.current.clusterDefault(),
    imagesOf: (...given) => known.current.imagesOf(...given),
  };
}

interface Webhook {
  readonly namespace: string;
  readonly timeoutSeconds: number;
  readonly clientConfig: object;
}

async function configure(kube: Kubernetes, webhook: Webhook): Promise<void> {
  const { namespace, timeoutSeconds, clientConfig } = webhook;
  const labels = { [INJECTS]: namespace };
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels },
  });
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace },
  });
  await applyObject(kube, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `svc-operator-${namespace}` },
    webhooks: [
      {
        name: "pods.svc.internal",
        clientConfig,
        // Updates as well, more than will be asked for: they have to be harmless.
        rules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["pods"],
          },
        ],
        namespaceSelector: { matchLabels: labels },
        reinvocationPolicy: "IfNeeded",
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds,
      },
    ],
  });
}

/** The API server takes a moment to learn of a webhook. */
async function isAsked(
  { createPod, records }: Pick<AdmissionStage, "createPod" | "records">,
  namespace: NonNullable<PodRequest["namespace"]>,
): Promise<boolean> {
  const spec = { containers: [{ name: "app", image: "registry.test/app:1" }] };
  await createPod({ metadata: { generateName: "first-" }, spec }, { namespace, dryRun: true });
  return records.some((record) => record.namespace === namespace);
}
