// Replaces node:path, which is not on both runtimes.

/** The folder that a path is in. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  if (end < 0) return ".";
  return end === 0 ? "/" : path.slice(0, end);
}

/** A path below a folder. */
export function pathIn(folder: string, path: string): string {
  if (path === ".") return folder;
  return folder.endsWith("/") ? `${folder}${path}` : `${folder}/${path}`;
}
