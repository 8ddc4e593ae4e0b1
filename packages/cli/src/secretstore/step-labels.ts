import type { BootstrapSettings, RunStep } from "@svc/bootstrap";

/** The steps in words for people. */
export type StepLabels = Readonly<Record<RunStep, string>>;

const plain: StepLabels = {
  initialise: "initialise the store, and keep its keys",
  reset: "reset, because its keys are lost:",
  join: "join the cluster:",
  unseal: "unseal",
  "note-cluster": "note the cluster in the secret",
  "kv-mount": "KV version 2 engine",
  "auth-mount": "Kubernetes auth method",
  "auth-config": "its token review",
  policy: "policy",
  role: "role",
  "hints-policy": "policy of the operator's hints",
  "hints-role": "role of the operator's hints",
  "note-settings": "note the set-up in the secret",
  "revoke-root": "revoke the root token",
};

/** The steps with the names that the settings give things. */
export function stepLabels(settings: Partial<BootstrapSettings> = {}): StepLabels {
  const { kvPath, authPath, policyName, role, hints, review } = settings;
  const named = (base: string, name: string | undefined) =>
    name === undefined ? base : `${base} ${name}`;
  return {
    ...plain,
    "kv-mount": named(plain["kv-mount"], kvPath && `at ${kvPath}/`),
    "auth-mount": named(plain["auth-mount"], authPath && `at auth/${authPath}/`),
    "auth-config": named(plain["auth-config"], review && `by ${review.host}`),
    policy: named(plain.policy, policyName),
    role: named(plain.role, role?.name),
    "hints-policy": named(plain["hints-policy"], hints?.name),
    "hints-role": named(plain["hints-role"], hints?.name),
  };
}
