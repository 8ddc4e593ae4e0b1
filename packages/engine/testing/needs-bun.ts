// Tests that use a feature of Bun are left out on the engine: the runner asks here why.

let need: string | undefined;

/** A test has reached for a feature of Bun; the message names it. */
export class NeedsBun extends Error {
  override readonly name = "NeedsBun";
}

/**
 * The name of the feature that was used since the last question; undefined for none.
 *
 * @param error the error that was thrown: a module that failed throws it to its next importer, too.
 */
export function takeNeed(error?: unknown): string | undefined {
  const taken = need ?? (error instanceof NeedsBun ? error.message : undefined);
  need = undefined;
  return taken;
}

/**
 * Stands for a thing that only Bun has. Its members have the same stand-in. A call of any of them
 * throws, and is noted for the runner even if the test catches the error.
 */
export function onlyBun(name: string): unknown {
  // No arrow function: `new` asks for a target that can be constructed.
  function refuse(): never {
    need ??= name;
    throw new NeedsBun(name);
  }
  return new Proxy(refuse, {
    get: (_target, member) =>
      typeof member === "symbol" ? refuse() : onlyBun(`${name}.${member}`),
    construct: refuse,
  });
}
