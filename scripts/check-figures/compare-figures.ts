/** A figure that several documents give: a size, a time, a version. */
export interface Figure {
  readonly name: string;
  /** The text that every document has for it: `4.0 MB`. */
  readonly value: string;
  /** The command that measured it, with the date; or the file that it comes from. */
  readonly source: string;
  /** The words around the figure in documents, with `{}` in its place. */
  readonly phrases: readonly string[];
}

/** A document, by its path in the repository. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** A place that gives another figure, or gives one in unknown words. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const UNIT = "kB|MB|GB|KiB|MiB|GiB|Mi|ns|µs|ms|s|minutes?|hours?|%|×";
const NUMBER = String.raw`\d+(?:[.,]\d+)*`;
const FIGURE = String.raw`(?<figure>${NUMBER}(?: to ${NUMBER})?(?:\s(?:${UNIT})(?!\w))?)`;
/** Only a size or a time is distinct enough to be found without the words around it. */
const distinct = / (?:MB|MiB|ms|µs)$/;

/**
 * Compares each figure with its phrases in all documents.
 *
 * @param dated the paths of documents with measurements: they may have an equal figure by chance
 */
export function compareFigures(
  figures: readonly Figure[],
  documents: readonly Document[],
  dated: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  return figures.flatMap((figure) => {
    const places = figure.phrases.map((phrase) => placesOf(phrase, documents));
    const unused = figure.phrases.filter((_, index) => places[index]?.length === 0);
    return [
      ...places.flat().flatMap((place) => difference(figure, place)),
      ...unused.map((phrase) => ({
        path: "docs/figures.json",
        line: 1,
        message: `${figure.name}: no document has the phrase "${phrase}"`,
      })),
      ...documents
        .filter(({ path }) => !dated.has(path))
        .flatMap((document) => strays(figure, document, places.flat())),
    ];
  });
}

/** A figure in a document, and its offset in the text. */
interface Place {
  readonly document: Document;
  readonly offset: number;
  readonly found: string;
}

function placesOf(phrase: string, documents: readonly Document[]): readonly Place[] {
  const [before = "", after = ""] = phrase.split("{}").map(patternOf);
  const pattern = new RegExp(`(?<before>${before})${FIGURE}${after}`, "g");
  return documents.flatMap((document) =>
    [...document.text.matchAll(pattern)].map(({ index, groups = {} }) => ({
      document,
      offset: index + (groups["before"]?.length ?? 0),
      found: (groups["figure"] ?? "").replace(/\s/g, " "),
    })),
  );
}

/** A blank may be the end of a line. */
function patternOf(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/ /g, String.raw`\s+`);
}

function difference({ name, value }: Figure, { document, offset, found }: Place): Finding[] {
  if (found === value) return [];
  return [at(document, offset, `${name}: got "${found}", want "${value}" (docs/figures.json)`)];
}

/** The places of a document that have the figure in other words. */
function strays(
  { name, value }: Figure,
  document: Document,
  places: readonly Place[],
): readonly Finding[] {
  if (!distinct.test(value)) return [];
  const known = new Set(places.filter((place) => place.document === document).map((x) => x.offset));
  const pattern = new RegExp(String.raw`(?<![\d.,])(?<!\d to )${patternOf(value)}(?!\w)`, "g");
  return [...document.text.matchAll(pattern)]
    .filter(({ index }) => !known.has(index))
    .map(({ index }) =>
      at(document, index, `${name}: add these words to docs/figures.json, or link to the figure`),
    );
}

function at({ path, text }: Document, offset: number, message: string): Finding {
  return { path, line: text.slice(0, offset).split("\n").length, message };
}
