import { inspect } from "node:util";

/** Everything a logger could print of an error, causes included. */
export function everythingShown(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const properties = Object.entries(Object.getOwnPropertyDescriptors(error));
  return [
    ...[error.message, error.stack, String(error), JSON.stringify(error), Bun.inspect(error)],
    inspect(error, { depth: 9, showHidden: true }),
    ...properties.map(([name, { value }]) => `${name}=${inspect(value)}`),
    everythingShown(error.cause ?? ""),
  ].join("\n");
}
