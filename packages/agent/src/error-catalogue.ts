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
  EVENT_UNREADABLE: {
    meaning: "the programs that run in the kernel are not those of this agent",
    hint: "EBPF_OBJECT_PATH has to be the object that came with this agent",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `AgentError`. */
export type AgentErrorCode = keyof typeof agentErrorCatalogue;
