/** Takes one line of the operator's log; the fields never hold a secret. */
export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
