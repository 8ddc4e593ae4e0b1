/**
 * The commit of a working tree, with `-dirty` if files differ from it; undefined if it is no
 * repository.
 */
export function readRevision(root: string): string | undefined {
  const git = (...words: readonly string[]) => {
    const { exitCode, stdout } = Bun.spawnSync(["git", "-C", root, ...words]);
    return exitCode === 0 ? stdout.toString().trim() : undefined;
  };
  const commit = git("rev-parse", "HEAD");
  if (commit === undefined) return undefined;
  return git("status", "--porcelain") === "" ? commit : `${commit}-dirty`;
}
