/** Any text. */
export const text = { type: "string" } as const;

/** A text that an item of a flag's list may be: a comma would make two of it. */
export const item = { type: "string", pattern: "^[^,]+$" } as const;

/** True or false. */
export const yesOrNo = { type: "boolean" } as const;

/** A number of a port. */
export const port = { type: "integer", minimum: 1, maximum: 65_535 } as const;

/** A value that follows from `platform` while it is empty. */
export function unlessPlatform<const Own>(own: Own) {
  return { anyOf: [own, { const: "" }] } as const;
}

/** Names with a text each, as labels and annotations are. */
export const texts = { type: "object", additionalProperties: text } as const;

/** A list of texts. */
export const listOfTexts = { type: "array", items: item } as const;

/** Types of Kubernetes, which the API server checks. */
export const anything = { type: "object" } as const;

/** A list of such objects. */
export const objects = { type: "array", items: anything } as const;

/** Amounts of resources by their names. */
export const quantities = {
  type: "object",
  additionalProperties: { type: ["string", "number"] },
} as const;

/** Requests and limits of a container. */
export const resources = closed({ requests: quantities, limits: quantities });

/** Pull secrets as a pod names them. */
export const pullSecrets = { type: "array", items: closed({ name: text }, ["name"]) } as const;

/** Taints that a pod bears. */
export const tolerations = {
  type: "array",
  items: closed({
    ...{ key: text, operator: text, value: text, effect: text },
    tolerationSeconds: { type: "integer" },
  }),
} as const;

/** Addresses with a port each. */
export const endpoints = {
  type: "array",
  items: closed({ cidr: text, port }, ["cidr", "port"]),
} as const;

/** Ports, or ranges of them. */
export const portRanges = {
  type: "array",
  items: closed({ port, endPort: port }, ["port"]),
} as const;

const requirements = {
  type: "array",
  items: closed({ key: text, operator: text, values: { type: "array", items: text } }, [
    "key",
    "operator",
  ]),
} as const;

/** A choice of objects by their labels. */
export const labelSelector = closed({ matchLabels: texts, matchExpressions: requirements });

/** An object that has these fields and no others. */
export function closed<const Properties, const Required extends readonly string[] = readonly []>(
  properties: Properties,
  required?: Required,
) {
  return {
    type: "object",
    properties,
    ...(required !== undefined && { required }),
    additionalProperties: false,
  } as const;
}
