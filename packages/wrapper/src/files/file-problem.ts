import type { SyscallError } from "@svc/kernel";
import { failure } from "../errors.ts";
import { FileError } from "./file-error.ts";

/** The most of one file. A Secret of Kubernetes has no more in all. */
export const MOST_FILE_BYTES = 1 << 20;
/** The most of all files in one folder. */
export const MOST_FOLDER_BYTES = 4 << 20;
/** The most names in one folder. */
export const MOST_NAMES = 1000;

/** A problem in words. */
interface Said {
  readonly what: string;
  readonly hint: string;
  /** True if another try may find it mended. */
  readonly passes?: true;
}

/** Problems of files that can be looked at, by their names in the code. */
const problems = {
  "not a file": {
    what: "it is a device, a FIFO or a socket",
    hint: "name a regular file, or a folder of regular files",
  },
  "too large": {
    what: "it is larger than 1 MiB, or its folder than 4 MiB",
    hint: "name the file of the secret alone",
  },
  "too many names": {
    what: `it has more than ${MOST_NAMES} names`,
    hint: "name the folder of one secret, or a file in it",
  },
  empty: {
    what: "it is empty",
    hint: "its writer may be at work: it should write another file and rename it",
    passes: true,
  },
  "empty folder": {
    what: "it is a folder without files",
    hint: "check that the volume is mounted, and that the Secret has keys",
    passes: true,
  },
  changing: {
    what: "it changes while it is read",
    hint: "its writer should write another file, or a folder with all of them, and rename it",
    passes: true,
  },
  "link to nothing": {
    what: "it is a link to nothing",
    hint: "correct the link, or remove it",
    passes: true,
  },
  "odd name": { what: "it has a name that is not UTF-8", hint: "rename the file" },
  "repeated key": { what: "it is a JSON object with a key twice", hint: "remove one of the two" },
  "not well-formed Unicode": {
    what: "it is JSON with half of a surrogate pair",
    hint: "store such bytes as base64",
  },
} as const satisfies Readonly<Record<string, Said>>;

/** A call that the kernel has refused, to the user with this number. */
interface RefusedCall {
  readonly error: SyscallError;
  readonly user: number;
}

/** Anything that keeps a file, or one in a folder, from being a secret. */
export type FileProblem = keyof typeof problems | RefusedCall;

/** The place of a problem. */
export interface FilePlace {
  readonly path: string;
  /** The name of a file in the folder `path`. */
  readonly name?: string;
}

/** The error that says a problem in words. Pure. */
export function fileError({ path, name }: FilePlace, problem: FileProblem): FileError {
  const { what, hint, passes }: Said =
    typeof problem === "string" ? problems[problem] : refusedCall(problem);
  const text =
    name === undefined ? what : `${JSON.stringify(name.slice(0, 80))} ${what.replace(/^it /, "")}`;
  return new FileError(failure("FILE_UNREADABLE", `read file:${path}: ${text}`, hint), !!passes);
}

function refusedCall({ error: { code }, user }: RefusedCall): Said {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return {
        what: `it is not there (${code})`,
        hint: "check the path, and that the mount, the unit's LoadCredential= or the operator that writes it has worked",
        passes: true,
      };
    case "EACCES":
    case "EPERM":
      return {
        what: `it may not be read by the wrapper's user, ${user} (${code})`,
        hint: `let the user ${user} or one of its groups read it: fsGroup and defaultMode of the pod, User= and LoadCredential= of the unit, and each folder above it`,
      };
    case "ELOOP":
      return { what: "it is a loop of links (ELOOP)", hint: "correct the links" };
    case "ENAMETOOLONG":
      return { what: "it has too long a name (ENAMETOOLONG)", hint: "correct the path" };
    case "EFBIG":
      return problems["too large"];
    case "EINVAL":
    case "ENXIO":
      return problems["not a file"];
    default:
      return {
        what: `it cannot be read (${code})`,
        hint: "the file system that it is in says so: its server or its disk may be away",
        passes: true,
      };
  }
}
