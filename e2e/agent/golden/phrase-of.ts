const facts = ["file", "memory", "request", "access", "signal"] as const;

/** What is read of an event, or of the record that is made of it. */
export type PhrasedEvent = { readonly kind: string } & {
  readonly [fact in (typeof facts)[number]]?: unknown;
} & { readonly systemCall?: { readonly abi: string } | undefined };

/** What an event says besides numbers that differ from run to run. */
export function phraseOf(event: PhrasedEvent): string {
  const words = facts.map((fact) => event[fact]).filter((word) => word !== undefined);
  const { abi = "native" } = event.systemCall ?? {};
  return [event.kind, ...words, ...(abi === "native" ? [] : [abi])].join(" ");
}
