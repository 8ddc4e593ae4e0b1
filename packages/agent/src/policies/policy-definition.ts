import { attemptsOnKernel, attemptsOnPrograms } from "./policy.ts";

const GROUP = "svc.internal";
const VERSION = "v1alpha1";

/** The path of the list of SvcPolicies. */
export const policyPath = `/apis/${GROUP}/${VERSION}/svcpolicies`;

/** The most entries of one kind in `who`. Larger lists belong into several policies. */
const MOST_ENTRIES = 32;

const LABEL = "([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?";

const numbers = (what: string) => ({
  ...entries(`Numbers of ${what}, as the machine has them.`),
  items: { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 2 },
});

// A misspelt field must not get lost: it may be the one that narrows the policy. So the API server
// keeps unknown fields, and the admission policy below refuses them.
const keepsUnknown = { "x-kubernetes-preserve-unknown-fields": true } as const;

const whoProperties = {
  executables: {
    ...entries("Files of the machine, each with the digest of its content."),
    items: {
      type: "object",
      ...keepsUnknown,
      required: ["path", "sha256"],
      properties: {
        path: {
          type: "string",
          description: "Absolute path of the file.",
          pattern: "^/[^\\x00-\\x1f\\x7f]+$",
          maxLength: 4095,
        },
        sha256: {
          type: "string",
          description:
            "SHA-256 of its content, in 64 small hexadecimal digits: as of sha256sum(1).",
          pattern: "^[0-9a-f]{64}$",
          maxLength: 64,
        },
      },
    },
  },
  units: {
    ...entries("Services of systemd on the machine."),
    items: { type: "string", pattern: "^[A-Za-z0-9:_.\\\\@-]+\\.service$", maxLength: 94 },
  },
  pods: {
    ...entries("Pods, by their namespace and labels."),
    items: {
      type: "object",
      ...keepsUnknown,
      required: ["namespace"],
      properties: {
        namespace: {
          type: "string",
          description: "Users who may create pods in this namespace choose the labels.",
          pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
          maxLength: 63,
        },
        matchLabels: {
          type: "object",
          description: "All of them have to be the pod's. Absent: every pod of the namespace.",
          minProperties: 1,
          maxProperties: 16,
          additionalProperties: { type: "string", pattern: `^${LABEL}$`, maxLength: 63 },
        },
      },
    },
  },
  users: numbers("users"),
  groups: numbers("groups"),
} as const;

const who = {
  type: "object",
  description: "The processes that may. All lists that are here have to fit, each by one entry.",
  ...keepsUnknown,
  properties: whoProperties,
  "x-kubernetes-validations": [
    {
      rule: "has(self.executables) || has(self.units) || has(self.pods) || has(self.users) || has(self.groups)",
      message: "must name executables, units, pods, users or groups",
    },
    {
      rule: "!has(self.pods) || (!has(self.executables) && !has(self.units))",
      message: "must not have executables or units beside pods: those are of the machine",
    },
  ],
} as const;

const spec = {
  type: "object",
  description: "The processes that may, and the attempts that they may make.",
  required: ["reason", "who"],
  ...keepsUnknown,
  properties: {
    reason: {
      type: "string",
      description: "Why the policy is there, for people who read the audit trail.",
      minLength: 1,
      maxLength: 200,
      pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
    },
    mode: {
      type: "string",
      description:
        "`allow`, or `dry-run`: the attempt goes through, and its event says `would_block` or `would_kill`.",
      enum: ["allow", "dry-run"],
      default: "allow",
    },
    expires: {
      type: "string",
      format: "date-time",
      description: "From then on the policy lets nothing through. Absent: it has no end.",
    },
    attempts: {
      type: "array",
      description:
        "Kinds of attempts. Absent: all attempts on registered programs, but not attempts to open the kernel.",
      minItems: 1,
      maxItems: 64,
      items: { type: "string", enum: [...attemptsOnPrograms, ...attemptsOnKernel] },
    },
    who,
  },
} as const;

/** The CustomResourceDefinition of SvcPolicy. */
export const policyDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: `svcpolicies.${GROUP}`,
    labels: { "app.kubernetes.io/name": "svc", "app.kubernetes.io/part-of": "svc" },
  },
  spec: {
    group: GROUP,
    scope: "Cluster",
    names: {
      kind: "SvcPolicy",
      listKind: "SvcPolicyList",
      plural: "svcpolicies",
      singular: "svcpolicy",
      shortNames: ["svcp"],
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        additionalPrinterColumns: [
          column("Mode", "string", ".spec.mode", "What it does."),
          column("Expires", "date", ".spec.expires", "Its end."),
          column("Reason", "string", ".spec.reason", "Why it is there."),
          column("Age", "date", ".metadata.creationTimestamp", "Since when it is there."),
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description:
              "Lets processes through that the kernel agent would stop, on every node of the cluster.",
            required: ["spec"],
            properties: {
              apiVersion: { type: "string", description: `Always ${GROUP}/${VERSION}.` },
              kind: { type: "string", description: "Always SvcPolicy." },
              metadata: { type: "object" },
              spec,
            },
            "x-kubernetes-validations": [
              {
                rule: "self.metadata.name.size() <= 63",
                message: "metadata.name: must have at most 63 characters",
              },
            ],
          },
        },
      },
    ],
  },
} as const;

const policyName = `svcpolicies.${GROUP}`;

/** Refuses fields that a SvcPolicy does not have, which the definition alone cannot. */
export const unknownFieldsPolicy = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: policyName },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [GROUP],
          apiVersions: ["*"],
          operations: ["CREATE", "UPDATE"],
          resources: ["svcpolicies"],
        },
      ],
    },
    validations: [
      onlyFields("spec", "object.spec", Object.keys(spec.properties)),
      onlyFields("spec.who", "object.spec.who", Object.keys(whoProperties)),
      ...(["executables", "pods"] as const).map((list) => {
        const known = Object.keys(whoProperties[list].items.properties);
        const place = `spec.who.${list}`;
        return {
          expression: `!has(object.spec.who) || !has(object.${place}) || object.${place}.all(entry, ${isAmong("entry", known)})`,
          message: `${place}: must have no other fields than ${known.join(", ")}`,
        };
      }),
    ],
  },
} as const;

/** Has the API server follow it. */
export const unknownFieldsBinding = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: policyName },
  spec: { policyName, validationActions: ["Deny"] },
} as const;

function onlyFields(place: string, expression: string, known: readonly string[]) {
  return {
    expression: `!has(${expression}) || ${isAmong(expression, known)}`,
    message: `${place}: must have no other fields than ${known.join(", ")}`,
  };
}

function isAmong(object: string, known: readonly string[]): string {
  return `${object}.all(field, field in [${known.map((name) => `'${name}'`).join(", ")}])`;
}

function entries(description: string) {
  return { type: "array", description, minItems: 1, maxItems: MOST_ENTRIES } as const;
}

function column(name: string, type: string, jsonPath: string, description: string) {
  return { name, type, jsonPath, description };
}
