// The matchers of `bun:test` that the library has not got.

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

/** By their names, each with the value first. */
export const bunMatchers: Readonly<Record<string, (...values: readonly never[]) => Verdict>> = {
  toBeEmpty: (value: object | string) => verdict(sizeOf(value) === 0, "empty", value),
  toBeFalse: (value: unknown) => verdict(value === false, "false", value),
  toBeString: (value: unknown) => verdict(typeof value === "string", "a string", value),
  toBeWithin: (value: number, from: number, to: number) =>
    verdict(value >= from && value < to, `from ${from} to ${to}`, value),
  toContainAnyValues: (value: object, wanted: readonly unknown[]) =>
    verdict(wanted.some(isIn(value)), "an object with one of the values", value),
  toContainValues: (value: object, wanted: readonly unknown[]) =>
    verdict(wanted.every(isIn(value)), "an object with the values", value),
  toEndWith: (value: string, end: string) =>
    verdict(value.endsWith(end), `to end with ${end}`, value),
  toStartWith: (value: string, start: string) =>
    verdict(value.startsWith(start), `to start with ${start}`, value),
};

function verdict(pass: boolean, wanted: string, value: unknown): Verdict {
  return { pass, message: () => `expected ${pass ? "not " : ""}${wanted}: got ${String(value)}` };
}

function sizeOf(value: object | string): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Map || value instanceof Set) return value.size;
  return Object.keys(value).length;
}

function isIn(value: object): (wanted: unknown) => boolean {
  return (wanted) => Object.values(value).includes(wanted);
}
