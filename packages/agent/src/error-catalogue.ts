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
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `AgentError`. */
export type AgentErrorCode = keyof typeof agentErrorCatalogue;
