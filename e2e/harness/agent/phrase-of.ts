const facts = ["file", "memory", "request", "access", "signal"] as const;

/** The parts of an event, or of its record, that a phrase is made of. */
export type PhrasedEvent = { readonly kind: string } & {
  readonly [fact in (typeof facts)[number]]?: unknown;
} & { readonly systemCall?: { readonly abi: string } | undefined };

/** The parts of an event that do not differ from run to run. */
export function phraseOf(event: PhrasedEvent): string {
  const words = facts.map((fact) => event[fact]).filter((word) => word !== undefined);
  const { abi = "native" } = event.systemCall ?? {};
  return [event.kind, ...words, ...(abi === "native" ? [] : [abi])].join(" ");
}
