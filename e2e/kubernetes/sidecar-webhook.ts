import { applyObject, certificateAuthority, type Kubernetes } from "@svc/testing";

/** Asks after the operator does: webhooks are asked in the order of these names. */
const NAME = "zz-sidecar";

/**
 * Another owner's webhook, which gives every pod that has the label `sidecar` one more container.
 * When it is disposed of, its configuration stays: such pods are refused from then on.
 */
export async function sidecarWebhook(kube: Kubernetes): Promise<AsyncDisposable> {
  const authority = await certificateAuthority("svc test sidecar CA");
  const certificate = await authority.issue();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    tls: { cert: certificate.certificatePem, key: certificate.keyPem },
    fetch: async (request) => Response.json(withSidecar(await request.json())),
  });
  const caBundle = Buffer.from(authority.certificatePem).toString("base64");
  await applyObject(kube, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: NAME },
    webhooks: [
      {
        name: "sidecar.svc-tests.example",
        clientConfig: { url: `https://127.0.0.1:${server.port}/`, caBundle },
        rules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
        ],
        objectSelector: { matchExpressions: [{ key: "sidecar", operator: "Exists" }] },
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  return { [Symbol.asyncDispose]: () => server.stop(true) };
}

function withSidecar(review: unknown): object {
  const { uid, object } = Object(Object(review).request);
  const sidecar = { name: "late", image: "registry.test/late:1", command: ["/late"] };
  const has = object.spec.containers.some(({ name }: { name: string }) => name === "late");
  const patch = has ? [] : [{ op: "add", path: "/spec/containers/-", value: sidecar }];
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: {
      uid,
      allowed: true,
      patchType: "JSONPatch",
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    },
  };
}
