/** How much the target still holds. */
export interface Room {
  readonly freeBytes: number;
  /** Files and folders that can still be made; infinite if the file system has no such limit. */
  readonly freeFiles: number;
}

/** The requirements of the files to copy. */
export interface Need {
  readonly bytes: number;
  readonly files: number;
}

const MEBIBYTE = 1024 * 1024;
/** Files take whole blocks, and their folders take some. */
const SPARE_BYTES_A_FILE = 8192;

/** A size for people, in MiB. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

/** Why the files do not fit; undefined if they do. */
export function roomProblem(need: Need, room: Room): string | undefined {
  if (need.files === 0) return undefined;
  const neededBytes = need.bytes + need.files * SPARE_BYTES_A_FILE;
  if (room.freeBytes < neededBytes) {
    const found = `${mebibytes(room.freeBytes)} are free, ${mebibytes(neededBytes)} are needed`;
    return `${found} (hint: give the volume more room)`;
  }
  if (room.freeFiles < need.files) {
    const found = `${room.freeFiles} files can still be made, ${need.files} are needed`;
    return `${found} (hint: the file system has no free inodes)`;
  }
  return undefined;
}

const hints: Readonly<Record<string, string>> = {
  ENOENT: "mount a volume there",
  ENOTDIR: "name the folder of a volume",
  EROFS: "mount the volume without readOnly",
  EACCES: "the user of this container must be able to write to the folder",
  EPERM: "the user of this container must be able to write to the folder",
  ENOSPC: "give the volume more room",
  EDQUOT: "give the user of this container more room",
};

/** The failure, by the code of the system's error. */
export function failureText(step: string, code: string): string {
  const hint = hints[code];
  return hint === undefined ? `${step}: ${code}` : `${step}: ${code} (hint: ${hint})`;
}
