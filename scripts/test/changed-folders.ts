/** Folders below `packages/`, and others, whose unit tests `bun test` runs by their name. */
const tested = /^(?:packages\/[a-z-]+|scripts|bench)(?=\/)/;

/**
 * Pure: the folders whose unit tests a change may break by itself, in order. Those of packages that
 * import a changed one are not among them: `make test` runs all.
 *
 * @param files paths from the root, as git prints them
 */
export function changedFolders(files: readonly string[]): readonly string[] {
  const folders = files.flatMap((file) => tested.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}
