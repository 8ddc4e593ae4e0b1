/** Every way in which the kernel agent fails. */
export const agentErrorCatalogue = {
  SPOOL_UNUSABLE: {
    meaning: "the folder in which events wait for the platform cannot be used",
    hint: "it has to be a folder of its own that the agent may write to, on a disk that has room",
  },
  SPOOL_TAKEN: {
    meaning: "another agent uses the folder in which events wait for the platform",
    hint: "one agent a node: end the other one first",
  },
  OBJECT_UNUSABLE: {
    meaning: "the file with the programs for the kernel cannot be read, or is none",
    hint: "EBPF_OBJECT_PATH has to be the object that came with this agent",
  },
  PLATFORM_HEADERS_UNUSABLE: {
    meaning: "the file with headers for the platform cannot be read, or is malformed",
    hint: "PLATFORM_HEADERS_FILE has one `Name: value` a line",
  },
  PLATFORM_TLS_UNUSABLE: {
    meaning: "a certificate, key or CA file for the platform cannot be used",
    hint: "PLATFORM_TLS_CA, PLATFORM_TLS_CERT and PLATFORM_TLS_KEY are PEM files that the agent can read",
  },
  HEALTH_UNUSABLE: {
    meaning: "the address of /healthz and /metrics cannot be had",
    hint: "HEALTH_LISTEN_ADDR has to be an address of this machine with a free port",
  },
  EVENT_UNREADABLE: {
    meaning: "the programs that run in the kernel are not those of this agent",
    hint: "EBPF_OBJECT_PATH has to be the object that came with this agent",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `AgentError`. */
export type AgentErrorCode = keyof typeof agentErrorCatalogue;
