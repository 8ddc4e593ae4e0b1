import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { applyPatch, type GoldenValue, type MergePatch, patchBetween } from "./merge-patch.ts";
import { printTable } from "./print-table.ts";

/** The content of a file whose table is that of another file, except for some rows and fields. */
interface DifferingFile {
  /** The name of the other table. */
  readonly base: string;
  /** A merge patch (RFC 7396): the changed fields of the changed rows. A null removes. */
  readonly differences: MergePatch;
}

/** The whole table of a folder's file `NAME.json`. */
export function readGoldenTable(folder: string, name: string): GoldenValue {
  // Our own file; a table of another shape fails the assertions of its readers.
  const file = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as
    | DifferingFile
    | GoldenValue;
  if (!isDifferingFile(file)) return file;
  return applyPatch(readGoldenTable(folder, file.base), file.differences);
}

/**
 * Writes tables into a folder. The other tables stay as they are, so their files change with the
 * table that they differ from.
 *
 * @param baseOf the table that a table differs from; undefined for one that is written as a whole
 */
export function writeGoldenTables(
  folder: string,
  changed: Readonly<Record<string, object>>,
  baseOf: (name: string) => string | undefined,
): void {
  const tables = new Map<string, GoldenValue>();
  for (const name of goldenTableNames(folder)) tables.set(name, readGoldenTable(folder, name));
  for (const [name, table] of Object.entries(changed)) {
    tables.set(name, JSON.parse(JSON.stringify(table)));
  }
  const files = [...tables].map(
    ([name, table]) => [name, fileOf(name, table, tables, baseOf(name))] as const,
  );
  for (const [name, file] of files) {
    writeFileSync(join(folder, `${name}.json`), `${printTable(file)}\n`);
  }
}

function fileOf(
  name: string,
  table: GoldenValue,
  tables: ReadonlyMap<string, GoldenValue>,
  base: string | undefined,
): DifferingFile | GoldenValue {
  if (base === undefined) return table;
  const from = tables.get(base);
  if (from === undefined) {
    throw new TypeError(`write the table ${name}: there is no table "${base}", its base`);
  }
  return { base, differences: patchBetween(from, table) ?? {} };
}

function isDifferingFile(file: DifferingFile | GoldenValue): file is DifferingFile {
  return typeof file === "object" && "base" in file && "differences" in file;
}

function goldenTableNames(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.map((name) => basename(name, ".json")).sort();
}
