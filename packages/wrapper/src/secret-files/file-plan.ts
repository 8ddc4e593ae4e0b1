import { folderOf } from "@svc/kernel";
import type { FileMapping } from "@svc/settings";
import type { SecretSettings } from "../settings.ts";

/** The link to the folder of the current version, as in a volume of a kubelet. */
export const CURRENT = "..data";
/** The start of the names of versions. */
export const VERSION = "..v";
/** The folder with the content of the second folder, of the third, and so on. */
const OTHERS = "..more";

/** A folder over which something of ours is mounted. */
export interface MountedFolder {
  readonly path: string;
  /** The folder that is mounted over it. The first one is the file system itself. */
  readonly from: string;
}

/** A file of the program. */
export interface PlannedFile extends FileMapping {
  /** The link to be made, in the memory of this wrapper's own. */
  readonly link: string;
  /** The text of the link, which leads through `..data`. */
  readonly leadsTo: string;
  /** Its name in the folder of a version. */
  readonly name: string;
}

/**
 * How files get to their paths. One file system in memory has all of them: it is mounted over the first
 * folder. One rename of `..data` there replaces all files at once, also those of other folders.
 */
export interface FilePlan {
  /** The folder that has the memory. */
  readonly home: string;
  readonly folders: readonly MountedFolder[];
  readonly files: readonly PlannedFile[];
}

/** All files of the settings, in their order. */
export function filesOf({ sources }: Pick<SecretSettings, "sources">): readonly FileMapping[] {
  return sources.flatMap(({ files = [] }) => files);
}

/** Plans the files. An empty list has no plan. Pure: the supervisor and each courier call it. */
export function planFiles(files: readonly FileMapping[]): FilePlan | undefined {
  const all = new Set(files.map(({ path }) => folderOf(path)));
  const tops = [...all].filter((one) => ![...all].some((other) => one.startsWith(`${other}/`)));
  const [home] = tops;
  if (home === undefined) return undefined;
  const folders = tops.map((path, index): MountedFolder => {
    return { path, from: index === 0 ? home : `${home}/${OTHERS}/${index}` };
  });
  return { home, folders, files: files.map((file, index) => planned(file, index, folders)) };
}

/** Links in the home are relative, so that they hold in a changed root, too. */
function planned(file: FileMapping, index: number, folders: readonly MountedFolder[]): PlannedFile {
  const folder = folders.find(({ path }) => file.path.startsWith(`${path}/`));
  const home = folders[0]?.path;
  if (folder === undefined || home === undefined) throw new TypeError("a file without a folder");
  const within = file.path.slice(folder.path.length + 1);
  const depth = within.split("/").length - 1;
  const name = `${index}-${within.slice(within.lastIndexOf("/") + 1)}`;
  const way = folder.path === home ? "../".repeat(depth) : `${home}/`;
  const link = `${folder.from}/${within}`;
  return { ...file, link, leadsTo: `${way}${CURRENT}/${name}`, name };
}
