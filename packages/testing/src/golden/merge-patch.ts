/** A value of JSON in a golden table. A null is not part of a table: in a patch it removes. */
export type GoldenValue =
  | string
  | number
  | boolean
  | readonly GoldenValue[]
  | { readonly [name: string]: GoldenValue };

/** A merge patch of RFC 7396: it has the changed fields alone, and null for each that is missing. */
export type MergePatch =
  | null
  | string
  | number
  | boolean
  | readonly GoldenValue[]
  | { readonly [name: string]: MergePatch };

/** The patch that makes `changed` from `base`. Undefined if both are the same. */
export function patchBetween(base: GoldenValue, changed: GoldenValue): MergePatch | undefined {
  if (!isObject(base) || !isObject(changed)) {
    return Bun.deepEquals(base, changed) ? undefined : changed;
  }
  const patch: Record<string, MergePatch> = {};
  for (const name of Object.keys({ ...base, ...changed })) {
    const [before, after] = [base[name], changed[name]];
    const part =
      before === undefined || after === undefined ? (after ?? null) : patchBetween(before, after);
    if (part !== undefined) patch[name] = part;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `base` after the patch. Members keep their order, and added ones follow. */
export function applyPatch(base: GoldenValue | undefined, patch: MergePatch): GoldenValue {
  if (patch === null) throw new TypeError("a patch removes a member, never the whole");
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(base) ? base : {}));
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) members.delete(name);
    else members.set(name, applyPatch(members.get(name), part));
  }
  return Object.fromEntries(members);
}

function isObject<T>(
  value: T | undefined,
): value is Extract<T, { readonly [name: string]: unknown }> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
