import {
  type LoginMethod,
  loginMethodNames,
  methodsWithToken,
  rotationModes,
  type SecretEngine,
} from "@svc/settings";

/** A rule in CEL that the API server itself applies, and its message if the rule is broken. */
interface Rule {
  readonly rule: string;
  readonly message: string;
}

const ADDRESS =
  "must be http:// or https:// with host and port, for example https://vault.example:8200";

/** The same as the wrapper's own check: scheme, host and port, no user, no query. */
const addressRules: readonly Rule[] = [
  {
    rule: "isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getPort() != '' && url(self).getHostname() != ''",
    message: ADDRESS,
  },
  {
    rule: "!self.contains('@') && !self.contains('?') && !self.contains('#')",
    message: "must not hold a user, a query or a fragment",
  },
];

const address = text("Address of the vault, with scheme and port.", 2048, {
  "x-kubernetes-validations": addressRules,
});

const NAME = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";
const MOUNT = "^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$";

const quantities = (description: string) => ({
  type: "object",
  description,
  maxProperties: 16,
  additionalProperties: {
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
    maxLength: 32,
    pattern:
      "^\\+?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  },
});

/** The API server's own rule for every container, so that no pod is refused for it later. */
const resourceRules: readonly Rule[] = [
  {
    rule: "!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)",
    message: "requests must not be above limits",
  },
];

const labelText = { type: "string", maxLength: 63 };

const selector = {
  type: "object",
  description:
    "Pods that it is for without their naming it; an empty one is for all of the namespace.",
  properties: {
    matchLabels: {
      type: "object",
      description: "Labels that a pod has to have, each with this value.",
      maxProperties: 32,
      additionalProperties: labelText,
    },
    matchExpressions: {
      type: "array",
      description: "Rules for labels. All have to hold.",
      maxItems: 32,
      items: {
        type: "object",
        required: ["key", "operator"],
        properties: {
          key: {
            type: "string",
            description: "Key of the label.",
            minLength: 1,
            maxLength: 317,
          },
          operator: {
            type: "string",
            description:
              "In and NotIn compare the label with the values. The other two ask for the label alone.",
            enum: ["In", "NotIn", "Exists", "DoesNotExist"],
          },
          values: {
            type: "array",
            description: "For In and NotIn alone, which need one at least.",
            maxItems: 64,
            items: labelText,
          },
        },
        "x-kubernetes-validations": [
          {
            rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
            message: "values must be given with In and NotIn, and with no other operator",
          },
        ],
      },
    },
  },
};

/** Rules between fields. They do not cover a pod's annotations, which admission judges. */
const specRules: readonly Rule[] = [
  ...["envMap", "fileMap"].map((map) => ({
    rule: `!has(self.${map}) || !has(self.secretPaths) || self.${map}.split(';').size() == size(self.secretPaths)`,
    message: `${map} must have one group for each of secretPaths, with semicolons between the groups`,
  })),
  {
    rule: ["!has(self.tokenSecretRef)", ...methodsWithToken.map(isMethod)].join(" || "),
    message: `tokenSecretRef must be given with vaultAuthMethod: ${methodsWithToken.join(" or ")}`,
  },
  {
    rule: "!has(self.brokerCaSecretRef) || has(self.brokerTlsSecretRef)",
    message: "brokerCaSecretRef must be given with brokerTlsSecretRef",
  },
  {
    rule: "!has(self.vaultAddress) || !has(self.allowedAddresses) || self.vaultAddress in self.allowedAddresses",
    message: "vaultAddress must be one of allowedAddresses",
  },
];

function isMethod(method: LoginMethod): string {
  return `self.vaultAuthMethod == '${method}'`;
}

/** How the path of a secret looks, for each engine. */
const pathForms: Readonly<Record<SecretEngine, string>> = {
  dynamic: "dynamic:[^,#*]+/[^,#*]+",
  file: "file:/[^,#*]+",
  kv: "[^,#]+/data/[^,#]+(#[1-9][0-9]*)?",
};

/** The fields of a SvcConfig; for their meaning see docs/reference/annotations.md. */
export const spec = {
  type: "object",
  description: "Settings for pods, in the place of their annotations.",
  "x-kubernetes-validations": specRules,
  properties: {
    vaultAddress: address,
    vaultRole: text("Role of the vault's auth method, for kubernetes and jwt.", 128, {
      minLength: 1,
    }),
    vaultAuthMethod: {
      type: "string",
      description: "How the wrapper logs in.",
      enum: loginMethodNames,
      default: "kubernetes",
    },
    vaultAuthPath: text("Mount path of the auth method; by default the method's name.", 200, {
      pattern: MOUNT,
    }),
    vaultNamespace: text("Namespace within the vault.", 200, { pattern: MOUNT }),
    secretPaths: {
      type: "array",
      description: "Secrets to fetch, in the order of the groups of envMap and fileMap.",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "string",
        maxLength: 1024,
        "x-kubernetes-validations": [
          {
            rule: `self.matches('^(${Object.values(pathForms).join("|")})$')`,
            message:
              "must be mount/data/path, with #version behind it to pin one, dynamic:path or file:/path, without commas",
          },
        ],
      },
    },
    envMap: text("Fields and the variables that they become, as in SVC_ENV_MAP.", 65_536, {
      minLength: 1,
    }),
    fileMap: text("Fields and the files that they become, as in SVC_FILE_MAP.", 65_536, {
      minLength: 1,
    }),
    rotation: {
      type: "string",
      description:
        "Action for a program whose secrets change. By default restart, and none for containers that run to completion.",
      enum: rotationModes,
    },
    stopSignal: text("Signal that asks the program to end, as in SVC_STOP_SIGNAL.", 12, {
      pattern: "^[A-Za-z0-9+-]+$",
    }),
    caBundle: text("PEM certificates by which the vault is verified.", 65_536, {
      "x-kubernetes-validations": [
        {
          rule: "self.contains('-----BEGIN CERTIFICATE-----') && !self.contains('PRIVATE KEY')",
          message: "must be PEM certificates, and never a private key",
        },
      ],
    }),
    wrapperImage: text("Image that brings the wrapper.", 1024, { pattern: "^[^\\s]+$" }),
    wrapperResources: {
      type: "object",
      description:
        "Resources of the init container that brings the wrapper, in pods of class Burstable.",
      properties: {
        requests: quantities("The amounts that the node keeps for it, by resource."),
        limits: quantities("The most that it may use, by resource."),
      },
      "x-kubernetes-validations": resourceRules,
    },
    ebpf: { type: "boolean", description: "Whether the node's kernel agent watches the program." },
    requireAgent: {
      type: "boolean",
      description:
        "Whether the program starts only once the node's kernel agent has registered it. true takes ebpf for true.",
    },
    tokenSecretRef: {
      type: "object",
      description: "Secret with the vault's token, in the pod's namespace.",
      required: ["name"],
      properties: {
        name: text("Its name.", 253, { pattern: NAME }),
        key: text("The entry in it.", 253, { pattern: "^[-._a-zA-Z0-9]+$", default: "token" }),
      },
    },
    brokerTlsSecretRef: {
      type: "object",
      description:
        "Secret of the type kubernetes.io/tls, in the pod's namespace: by it the wrapper's health and unseal server speaks TLS.",
      required: ["name"],
      properties: { name: text("Its name.", 253, { pattern: NAME }) },
    },
    brokerCaSecretRef: {
      type: "object",
      description:
        "Secret with CA certificates, in the pod's namespace: clients that bring a token show a certificate of these.",
      required: ["name"],
      properties: {
        name: text("Its name.", 253, { pattern: NAME }),
        key: text("The entry in it.", 253, { pattern: "^[-._a-zA-Z0-9]+$", default: "ca.crt" }),
      },
    },
    tokenAudience: text("Audience of the service account's token; `none` for the pod's own.", 255, {
      pattern: "^[!-~]+$",
    }),
    allowedAddresses: {
      type: "array",
      description:
        "Addresses that pods may name; without it every address that the operator allows.",
      maxItems: 64,
      items: address,
    },
    selector,
  },
} as const;

function text(description: string, maxLength: number, more: object = {}) {
  return { type: "string", description, maxLength, ...more };
}
