/** The operator's status of a SvcConfig. */
export const status = {
  type: "object",
  description: "The operator's view of the settings.",
  properties: {
    ready: { type: "boolean", description: "Whether pods can be injected into by these settings." },
    message: {
      type: "string",
      description: "The first fault of the settings, or the word that pods can use them.",
    },
    injectedPods: {
      type: "integer",
      description: "How many pods have been injected into by these settings.",
      format: "int64",
      minimum: 0,
    },
    lastValidated: {
      type: "string",
      description: "When the operator looked at the settings last.",
      format: "date-time",
    },
    observedGeneration: {
      type: "integer",
      description: "The generation of the settings that the operator looked at.",
      format: "int64",
    },
    conditions: {
      type: "array",
      description: "The state of the settings, by Kubernetes' conventions.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type", "status", "lastTransitionTime", "reason", "message"],
        properties: {
          type: { type: "string", description: "Name of the condition.", maxLength: 316 },
          status: {
            type: "string",
            description: "Whether it holds.",
            enum: ["True", "False", "Unknown"],
          },
          observedGeneration: {
            type: "integer",
            description: "The generation of the settings that it is about.",
            format: "int64",
            minimum: 0,
          },
          lastTransitionTime: {
            type: "string",
            description: "When its status changed last.",
            format: "date-time",
          },
          reason: {
            type: "string",
            description: "The cause of the last change, in one word for programs.",
            minLength: 1,
            maxLength: 1024,
          },
          message: {
            type: "string",
            description: "The same for people.",
            maxLength: 32_768,
          },
        },
      },
    },
  },
} as const;
