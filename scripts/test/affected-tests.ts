/** Files on which every test may depend. */
const everywhere = /^(?:package\.json|bun\.lock|tsconfig\.json|formats\/)/;

/** Folders whose files that are not TypeScript belong to the tests beside them. */
const beside = /^(?:packages\/[^/]+|scripts|bench)\//;

const isTest = (path: string) => /\.(?:engine-)?test\.ts$/.test(path);

/**
 * Pure: the unit tests that a change may break, in order: those that import a changed file, by any
 * number of steps. Another changed file of a package affects all tests of that package.
 *
 * @param changed paths from the root, as git prints them
 * @param graph the files that each TypeScript file imports
 */
export function affectedTests(
  changed: readonly string[],
  graph: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const tests = [...graph.keys()].filter(isTest);
  if (changed.some((path) => everywhere.test(path))) return tests.toSorted();
  const reached = new Set(changed.filter((path) => graph.has(path)));
  const importers = reversed(graph);
  for (const path of reached)
    for (const importer of importers.get(path) ?? []) reached.add(importer);
  const folders = changed
    .filter((path) => !path.endsWith(".ts") && !path.endsWith(".md"))
    .flatMap((path) => beside.exec(path)?.[0] ?? []);
  const isBeside = (test: string) => folders.some((folder) => test.startsWith(folder));
  return tests.filter((test) => reached.has(test) || isBeside(test)).toSorted();
}

function reversed(
  graph: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, imported] of graph) {
    for (const target of imported) {
      const known = importers.get(target);
      if (known === undefined) importers.set(target, [path]);
      else known.push(path);
    }
  }
  return importers;
}
