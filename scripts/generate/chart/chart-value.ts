/** The values of JSON. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON schema, as far as it is needed here. */
export type Schema = { readonly [keyword: string]: Json };

/** One value of a chart. */
export interface ChartValue {
  /** With dots between its parts, for example `ca.configMap`. */
  readonly path: string;
  readonly default: Json;
  /** The rules of its type. */
  readonly schema: Schema;
  /** Sentences for values.yaml, the README and the schema. */
  readonly meaning: string;
  /** The variable or the flag of the program that it sets. */
  readonly sets?: string;
  /** True if the chart is not rendered without it. */
  readonly required?: boolean;
}

/** Values under a heading. */
export interface ValueGroup {
  readonly title: string;
  readonly values: readonly ChartValue[];
}
