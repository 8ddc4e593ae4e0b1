import type { ChartValue, Schema, ValueGroup } from "./chart-value.ts";

type Properties = { [name: string]: Schema };

/** values.schema.json: what is not among the values is refused by its name. */
export function valuesSchema(groups: readonly ValueGroup[]): Schema {
  const top: Properties = {};
  const nested = new Map<string, Properties>();
  for (const value of groups.flatMap(({ values }) => values)) {
    const [first = "", second] = value.path.split(".");
    if (second === undefined) top[first] = described(value);
    else nested.set(first, { ...nested.get(first), [second]: described(value) });
  }
  for (const [name, properties] of nested) top[name] = closed(properties);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Values of svc-secretstore",
    // Helm hands it to every chart of a chart that has this one as a dependency.
    ...closed({ ...top, global: { type: "object" } }),
  };
}

function described({ schema, meaning }: ChartValue): Schema {
  return { description: meaning, ...schema };
}

function closed(properties: Properties): Schema {
  return { type: "object", properties, additionalProperties: false };
}
