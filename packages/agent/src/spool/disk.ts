import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";

/** A spool's disk operations. Each throws the errors of node:fs. */
export interface Disk {
  readonly open: (path: string, flags: string) => number;
  /** Writes from an offset on, and returns how much. */
  readonly write: (fd: number, bytes: Uint8Array, offset: number) => number;
  /** fdatasync(2). */
  readonly sync: (fd: number) => void;
  /** fsync(2) of a folder. */
  readonly syncFolder: (folder: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly read: (path: string) => Uint8Array;
}

export const realDisk: Disk = {
  open: (path, flags) => openSync(path, flags, 0o600),
  write: (fd, bytes, offset) => writeSync(fd, bytes, offset),
  sync: fdatasyncSync,
  syncFolder: (folder) => {
    const fd = openSync(folder, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  rename: renameSync,
  read: (path) => readFileSync(path),
};
