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

type GoldenFile = DifferingFile | GoldenValue;

/** The whole table of a folder's file `NAME.json`. */
export function readGoldenTable(folder: string, name: string): GoldenValue {
  // Our own files; a table of another shape fails the assertions of its readers.
  const readFile = (other: string): GoldenFile =>
    JSON.parse(readFileSync(join(folder, `${other}.json`), "utf8"));
  return expanded(readFile(name), readFile);
}

/** The table of a file. @param fileOf gives the file of a base */
function expanded(file: GoldenFile, fileOf: (name: string) => GoldenFile): GoldenValue {
  if (!isDifferingFile(file)) return file;
  return applyPatch(expanded(fileOf(file.base), fileOf), file.differences);
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
  const files = [...tables.keys()].map((name) => [name, fileOf(name, tables, baseOf)] as const);
  for (const [name, file] of files) {
    writeFileSync(join(folder, `${name}.json`), `${printTable(file)}\n`);
  }
}

/** The file that a table is written into. */
function fileOf(
  name: string,
  tables: ReadonlyMap<string, GoldenValue>,
  baseOf: (name: string) => string | undefined,
): GoldenFile {
  const table = tables.get(name);
  if (table === undefined) throw new TypeError(`there is no table "${name}", which is a base`);
  const base = baseOf(name);
  if (base === undefined) return table;
  // As it will be read: the order of its fields decides on the order of the differences.
  const from = expanded(fileOf(base, tables, baseOf), (other) => fileOf(other, tables, baseOf));
  return { base, differences: patchBetween(from, table) ?? {} };
}

function isDifferingFile(file: GoldenFile): file is DifferingFile {
  return typeof file === "object" && "base" in file && "differences" in file;
}

function goldenTableNames(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.map((name) => basename(name, ".json")).sort();
}
