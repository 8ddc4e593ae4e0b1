import type { Values, VariableTable } from "@svc/settings";
import { programAnnotations } from "./program-annotations.ts";
import { selectionAnnotations } from "./selection-annotations.ts";
import { vaultAnnotations } from "./vault-annotations.ts";

/** Every annotation, by its name behind the prefix. The reference page is made of these rows. */
export const annotationTable = {
  ...selectionAnnotations,
  ...vaultAnnotations,
  ...programAnnotations,
};

/** The rows by the names that the code gives them. */
export type AnnotationTable = typeof annotationTable;

/** The name of a row in the code. */
export type AnnotationKey = keyof AnnotationTable;

/** The annotations of a pod. */
export type AnnotationValues = Values<AnnotationTable>;

/**
 * The same rows under their full names, `svc.internal/inject` and so on; no flag stands for one.
 */
export function prefixedTable(prefix: string): AnnotationTable {
  const rows = Object.entries<VariableTable[string]>(annotationTable).map(([key, row]) => {
    const aliases = row.aliases?.map((alias) => `${prefix}/${alias}`);
    return [
      key,
      { ...row, name: `${prefix}/${row.name}`, ...(aliases && { aliases }), flag: false },
    ] as const;
  });
  // Each row is the table's own except for its names, which are texts as before.
  return Object.fromEntries(rows) as unknown as AnnotationTable;
}
