import type { ChartValue, Schema, ValueGroup } from "./chart-value.ts";
import { anything, closed } from "./value-schemas.ts";

type Branch = Map<string, Branch | Schema>;

/** values.schema.json: an unknown value is refused by its name, at any depth. */
export function valuesSchema(chart: string, groups: readonly ValueGroup[]): Schema {
  const root: Branch = new Map();
  for (const value of groups.flatMap(({ values }) => values)) place(root, value);
  // Helm hands it to every chart of a chart that has this one as a dependency.
  root.set("global", anything);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Values of ${chart}`,
    ...schemaOf(root),
  };
}

function place(root: Branch, { path, schema, meaning }: ChartValue): void {
  const parents = path.split(".");
  const name = parents.pop() ?? "";
  const branch = parents.reduce<Branch>((above, parent) => {
    const known = above.get(parent);
    const below: Branch = known instanceof Map ? known : new Map();
    above.set(parent, below);
    return below;
  }, root);
  branch.set(name, { description: meaning, ...schema });
}

function schemaOf(branch: Branch): Schema {
  const properties = [...branch].map(
    ([name, below]) => [name, below instanceof Map ? schemaOf(below) : below] as const,
  );
  return closed(Object.fromEntries(properties));
}
