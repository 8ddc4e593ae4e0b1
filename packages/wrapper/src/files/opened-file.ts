import { type FileLook, isInMemory, lookAtDescriptor } from "@svc/kernel";
import { readSecretDescriptor, type SecretBytes } from "@svc/secret-bytes";
import { MOST_FILE_BYTES } from "./file-problem.ts";

const OTHERS_MAY_READ = 0o004;

/** Whether others may read a file, and whether it rests on a disk. */
export interface FileExposure {
  readonly isWorldReadable: boolean;
  /** Undefined if the kernel does not say it. */
  readonly isInMemory: boolean | undefined;
}

/** A file was changed while it was read. */
export class Changing extends Error {
  /** The name in the folder behind which no file was found. */
  readonly missing: string | undefined;

  constructor(missing?: string) {
    super();
    this.missing = missing;
  }
}

/** The content of a file at one moment. */
export interface OpenedFile {
  readonly content: SecretBytes;
  readonly look: FileLook;
}

/**
 * Reads a regular file that is open.
 *
 * @throws Changing if it was written meanwhile; SyscallError `EFBIG` if it is too large.
 */
export function readOpened(fd: number): OpenedFile {
  const look = lookAtDescriptor(fd);
  const content = readSecretDescriptor(fd, MOST_FILE_BYTES);
  const { stamp, size } = lookAtDescriptor(fd);
  // Files of /proc and /sys do not know their size.
  const isWhole = content.length === size || size === 0;
  if (stamp !== look.stamp || !isWhole) throw new Changing();
  return { content, look };
}

/** Whether others may read a file that is open. */
export function exposureOf({ mode }: FileLook, fd: number): FileExposure {
  return { isWorldReadable: (mode & OTHERS_MAY_READ) !== 0, isInMemory: isInMemory(fd) };
}
