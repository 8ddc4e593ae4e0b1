import type { PatchOperation } from "./patch-between.ts";

/**
 * Applies a patch to a JSON value and gives a new one, as the API server will: for previews and
 * tests.
 * @throws RangeError for a path that the value does not have.
 */
export function applyPatch(value: unknown, operations: readonly PatchOperation[]): unknown {
  return operations.reduce((current: unknown, operation) => {
    const steps = operation.path.split("/").slice(1).map(unescaped);
    return applied(current, steps, operation);
  }, value);
}

function applied(value: unknown, steps: readonly string[], operation: PatchOperation): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return operation.op === "remove" ? undefined : operation.value;
  if (Array.isArray(value)) return appliedToList(value, { step, rest, operation });
  if (typeof value !== "object" || value === null) return missing(operation);
  const members = new Map(Object.entries(value));
  if (rest.length === 0 && operation.op === "remove") {
    if (!members.delete(step)) missing(operation);
    return Object.fromEntries(members);
  }
  if (!members.has(step) && (rest.length > 0 || operation.op === "replace")) missing(operation);
  members.set(step, applied(members.get(step), rest, operation));
  return Object.fromEntries(members);
}

interface ListStep {
  readonly step: string;
  readonly rest: readonly string[];
  readonly operation: PatchOperation;
}

function appliedToList(list: readonly unknown[], { step, rest, operation }: ListStep): unknown {
  const index = step === "-" ? list.length : Number(step);
  const inserts = rest.length === 0 && operation.op === "add";
  if (!(index >= 0 && index <= list.length - (inserts ? 0 : 1))) return missing(operation);
  if (inserts) return list.toSpliced(index, 0, operation.value);
  if (rest.length === 0 && operation.op === "remove") return list.toSpliced(index, 1);
  return list.with(index, applied(list[index], rest, operation));
}

function missing({ op, path }: PatchOperation): never {
  throw new RangeError(`apply a patch: ${op} "${path}": there is no such place`);
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
