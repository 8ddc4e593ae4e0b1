import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { closed, labelSelector, listOfTexts, text, texts, yesOrNo } from "./value-schemas.ts";

const webhook: readonly ChartValue[] = [
  {
    path: "webhook.failurePolicy",
    default: "Fail",
    schema: { enum: ["Fail", "Ignore"] },
    meaning:
      "Outcome for annotated pods while no operator answers: `Fail` rejects them, `Ignore` starts them without secrets. Other pods never depend on it.",
  },
  {
    path: "webhook.timeoutSeconds",
    default: 10,
    schema: { type: "integer", minimum: 1, maximum: 30 },
    meaning: "How long the API server waits for an answer.",
  },
  {
    path: "webhook.excludedNamespaces",
    default: [],
    schema: listOfTexts,
    meaning:
      "Namespaces whose pods are left alone, beside kube-system, kube-public, kube-node-lease and the release's own.",
  },
  {
    path: "webhook.namespaceSelector",
    default: {},
    schema: labelSelector,
    meaning: "Further condition for namespaces.",
  },
  {
    path: "webhook.objectSelector",
    default: {},
    schema: labelSelector,
    meaning:
      "Further condition for pods, for example `{matchLabels: {svc.internal/inject: 'true'}}`: then only the label asks, and the annotation does nothing.",
  },
  {
    path: "webhook.matchConditions",
    default: [],
    schema: {
      type: "array",
      items: closed({ name: text, expression: text }, ["name", "expression"]),
    },
    meaning: "Further conditions in CEL.",
  },
  {
    path: "webhook.guard",
    default: true,
    schema: yesOrNo,
    meaning:
      "Makes a ValidatingAdmissionPolicy that refuses pods that ask for secrets and have no wrapper. It stays when the release is uninstalled. It warns, and refuses nothing, if `webhook.failurePolicy` is `Ignore` or `operator.settings.whenImpossible` is `admit`.",
  },
  {
    path: "webhook.annotations",
    default: {},
    schema: texts,
    meaning: "Annotations of the webhook configuration.",
  },
];

const certificate: readonly ChartValue[] = [
  {
    path: "certificate.source",
    default: "self-made",
    schema: { enum: ["self-made", "cert-manager", "secret"] },
    meaning:
      "`self-made`: the operator makes its certificate and replaces it in time. `cert-manager`: that one does. `secret`: it is in a Secret of yours. Sets --certificate-source.",
  },
  {
    path: "certificate.secret",
    default: "",
    schema: text,
    meaning:
      "Secret of type kubernetes.io/tls in the release's namespace, if the source is `secret`.",
  },
  {
    path: "certificate.authorityKey",
    default: "",
    schema: text,
    meaning:
      "Key in that Secret with the CA certificates, for example `ca.crt`: the operator writes them into the webhook configuration. Empty: you or another tool writes them. Sets --certificate-ca-file.",
  },
  {
    path: "certificate.issuer",
    default: {},
    schema: closed({ name: text, kind: text, group: text }),
    meaning:
      "Issuer of cert-manager, as `{name: internal, kind: ClusterIssuer}`. Empty: a CA of the release's own.",
  },
];

/** The values of the chart `svc` for the API server's requests. */
export const webhookValues: readonly ValueGroup[] = [
  { title: "Webhook", values: webhook },
  { title: "Certificate", values: certificate },
];
