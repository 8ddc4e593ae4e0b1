import { closest, type GivenText, type Problem, parseVariables, problem } from "@svc/settings";
import type { PodMetadata } from "../pod/pod.ts";
import {
  type AnnotationKey,
  type AnnotationTable,
  type AnnotationValues,
  annotationTable,
  prefixedTable,
} from "./annotation-table.ts";
import { controlProblems } from "./control-characters.ts";

/** The request of a pod. */
export interface AskedInjection {
  readonly prefix: string;
  /** By row; the default if nothing was said. */
  readonly values: AnnotationValues;
  /** The texts that were given, by row, with the name of the annotation in messages. */
  readonly texts: ReadonlyMap<AnnotationKey, Pick<GivenText, "label" | "text">>;
}

/** The meaning of a pod's annotations and labels. */
export type ParsedAnnotations =
  | { readonly kind: "asked"; readonly wanted: AskedInjection }
  /** The pod asks for nothing. `forgotten` has its other annotations under the prefix. */
  | { readonly kind: "none"; readonly forgotten: readonly string[] }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/**
 * Reads the annotations under the prefix and the label `PREFIX/inject`. All problems come at once,
 * a name that is not in the table among them; of a pod that asks for nothing only the question
 * itself is checked.
 */
export function parseAnnotations(metadata: PodMetadata, prefix: string): ParsedAnnotations {
  const texts = textsUnder(metadata, prefix);
  const asked = parseQuestion(texts, metadata.labels ?? {}, prefix);
  if (asked.problems.length > 0) return { kind: "problems", problems: asked.problems };
  if (!asked.wanted) return { kind: "none", forgotten: [...texts.keys()] };
  const tooLarge = sizeProblems(metadata);
  if (tooLarge.length > 0) return { kind: "problems", problems: tooLarge };
  const table = tableOf(prefix);
  const parsed = parseVariables(table, { environment: texts, flags: new Map() });
  const controls = [...texts].flatMap(([name, text]) => controlProblems(name, text));
  const told = new Set(controls.map(({ variable }) => variable));
  const others = parsed.problems.filter(({ variable }) => !told.has(variable));
  const problems = [...unknownNames(texts.keys(), table), ...controls, ...others];
  if (problems.length > 0) return { kind: "problems", problems };
  const given = annotationKeys.flatMap((key) => {
    const text = parsed.given.get(key);
    return text === undefined ? [] : [[key, text] as const];
  });
  return { kind: "asked", wanted: { prefix, values: parsed.values, texts: new Map(given) } };
}

// Object.keys gives a table's own keys, and this one has no others than its type says.
const annotationKeys = Object.keys(annotationTable) as readonly AnnotationKey[];

/** Kept, for the same prefix comes with every pod. */
const tables = new Map<string, AnnotationTable>();

function tableOf(prefix: string): AnnotationTable {
  const table = tables.get(prefix) ?? prefixedTable(prefix);
  tables.set(prefix, table);
  return table;
}

/**
 * The API server's own limit, of names and texts together (validation.TotalAnnotationSizeLimitB).
 */
const MOST_BYTES = 256 * 1024;

/** The server looks only after admission, and a larger value would delay answers for others. */
function sizeProblems({ annotations }: PodMetadata): readonly Problem[] {
  const sizes = Object.entries(annotations ?? {}).map(
    ([name, text]) => Buffer.byteLength(name) + Buffer.byteLength(text),
  );
  const size = sizes.reduce((sum, each) => sum + each, 0);
  if (size <= MOST_BYTES) return [];
  const wanted = `of ${MOST_BYTES} bytes at most, names and texts together`;
  return [problem({ variable: "annotations", wanted, found: `they have ${size}` })];
}

function textsUnder({ annotations }: PodMetadata, prefix: string): ReadonlyMap<string, string> {
  const entries = Object.entries(annotations ?? {});
  return new Map(entries.filter(([name]) => isUnder(name, prefix)));
}

function isUnder(name: string, prefix: string): boolean {
  return name.startsWith(`${prefix}/`);
}

interface Question {
  readonly wanted: boolean;
  readonly problems: readonly Problem[];
}

function parseQuestion(
  texts: ReadonlyMap<string, string>,
  labels: Readonly<Record<string, string>>,
  prefix: string,
): Question {
  const { inject: row } = tableOf(prefix);
  const label = labels[row.name];
  const parse = (environment: ReadonlyMap<string, string>) =>
    parseVariables({ row }, { environment, flags: new Map() });
  const [said, labelled] = [parse(texts), parse(new Map([[row.name, label ?? ""]]))];
  const problems = [...said.problems, ...labelled.problems];
  if (problems.length > 0) return { wanted: false, problems };
  const isSaid = said.given.has("row");
  const isLabelled = labelled.given.has("row");
  if (isSaid && isLabelled && said.values.row !== labelled.values.row) {
    const found = `the label says "${labelled.values.row}"`;
    const wanted = "the same as annotation and as label, or only one of them";
    return { wanted: false, problems: [problem({ variable: row.name, wanted, found })] };
  }
  // A slip in this very name would start a program without its secrets and without a word.
  const labelNames = Object.keys(labels).filter((name) => isUnder(name, prefix));
  const slips = isSaid || isLabelled ? [] : misspelt([...texts.keys(), ...labelNames], row.name);
  return { wanted: said.values.row || labelled.values.row, problems: slips };
}

/** Each is compared with every name of the table, and a pod may have thousands. */
const MOST_UNKNOWN = 20;

function misspelt(names: readonly string[], wanted: string): readonly Problem[] {
  const known = Object.values(annotationTable).map(({ name }) => name);
  const prefix = wanted.slice(0, wanted.indexOf("/") + 1);
  return names
    .map((name) => name.slice(prefix.length))
    .filter((name) => !known.includes(name) && closest(name, ["inject"]) !== undefined)
    .slice(0, MOST_UNKNOWN)
    .map((name) => unknownName(`${prefix}${name}`, wanted));
}

function unknownNames(names: Iterable<string>, table: AnnotationTable): readonly Problem[] {
  const known = Object.values(table).flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  return [...names]
    .filter((name) => !known.includes(name))
    .slice(0, MOST_UNKNOWN)
    .map((name) => unknownName(name, closest(name, known)));
}

function unknownName(name: string, near: string | undefined): Problem {
  const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
  return problem({
    variable: name,
    wanted: "an annotation that the operator knows",
    found: "there is none of this name",
    ...hint,
  });
}
