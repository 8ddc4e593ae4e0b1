/** One step of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * The steps that make `after` of `before`. It does not compare objects that both share by identity,
 * so the cost is that of the changes.
 *
 * Lists may have gained members, anywhere, and changed members, which are recognised by their
 * `name` or by being the same object. A list of texts or numbers is replaced as a whole, and so is
 * one that lost or reordered members.
 */
export function patchBetween(
  before: unknown,
  after: unknown,
  path = "",
): readonly PatchOperation[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path);
  if (isObject(before) && isObject(after)) return objectPatch(before, after, path);
  return [{ op: "replace", path, value: after }];
}

function objectPatch(
  before: JsonObject,
  after: JsonObject,
  path: string,
): readonly PatchOperation[] {
  const removed = Object.keys(before)
    .filter((key) => after[key] === undefined)
    .map((key) => ({ op: "remove", path: `${path}/${pointer(key)}` }) as const);
  const rest = Object.entries(after).flatMap(([key, value]): readonly PatchOperation[] => {
    if (value === undefined) return [];
    const place = `${path}/${pointer(key)}`;
    // An "add" of a member that is null replaces it (RFC 6902, 4.1).
    if (before[key] === undefined || before[key] === null) {
      return value === before[key] ? [] : [{ op: "add", path: place, value }];
    }
    return patchBetween(before[key], value, place);
  });
  return [...removed, ...rest];
}

/** From the left to the right, so that every index is the one that the list has at that step. */
function listPatch(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): readonly PatchOperation[] {
  if (!after.every(isObject)) return [{ op: "replace", path, value: after }];
  const operations: PatchOperation[] = [];
  let next = 0;
  for (const [index, member] of after.entries()) {
    if (next < before.length && isSameMember(before[next], member)) {
      operations.push(...patchBetween(before[next], member, `${path}/${index}`));
      next += 1;
    } else {
      const place = next === before.length ? "-" : String(index);
      operations.push({ op: "add", path: `${path}/${place}`, value: member });
    }
  }
  return next === before.length ? operations : [{ op: "replace", path, value: after }];
}

function isSameMember(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (!isObject(before) || !isObject(after)) return false;
  return typeof before["name"] === "string" && before["name"] === after["name"];
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** RFC 6901. */
function pointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
