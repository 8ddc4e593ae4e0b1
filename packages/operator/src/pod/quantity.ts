const suffixes: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["m", 1e-3],
  ...["k", "M", "G", "T", "P", "E"].map((name, index) => [name, 1000 ** (index + 1)] as const),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map(
    (name, index) => [name, 1024 ** (index + 1)] as const,
  ),
]);

/**
 * The number that a quantity of Kubernetes stands for, such as `1.5Gi`, `500m` or `1e3`; undefined
 * if it is not one.
 * Beyond 2^53 it is rounded.
 */
export function quantityOf(quantity: string | number): number | undefined {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([A-Za-z]*))$/.exec(String(quantity));
  if (match === null) return undefined;
  const [, digits = "", exponent = "", suffix = ""] = match;
  const unit = suffixes.get(suffix);
  return unit === undefined ? undefined : Number(digits + exponent) * unit;
}
