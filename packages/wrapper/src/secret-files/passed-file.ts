/** How the files of SVC_FILE_MAP get to the program. */
export type FileWay = "mount" | "descriptors";

/** A file that a program inherits, and the variable that has its path. */
export interface PassedFile {
  readonly fd: number;
  readonly variable: string;
  readonly path: string;
}
