import { notFirstProcess } from "../registration/first-process.ts";

/** A file, as the kernel knows it. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** A process that asks for its pod's token. */
export interface LoginCaller {
  readonly podUid: string | undefined;
  /** Its numbers, from the agent's pid namespace to its own. */
  readonly namespacePids: readonly number[];
  /** The thread that traces it; 0 if none does. */
  readonly tracer: number;
  /** The file that it runs; undefined if the agent cannot look at it. */
  readonly executable: FileIdentity | undefined;
}

/**
 * Pure: why a process gets no token, for people; undefined for the wrapper of a container.
 *
 * @param wrappers the wrapper in each volume of the pod, which no pod can change
 */
export function refusalOf(
  caller: LoginCaller,
  wrappers: readonly FileIdentity[],
): string | undefined {
  const { tracer, executable } = caller;
  const stranger = notFirstProcess(caller);
  if (stranger !== undefined) return stranger;
  if (executable === undefined) return "the agent cannot look at the file that it runs";
  const isWrapper = wrappers.some(
    ({ device, inode }) => device === executable.device && inode === executable.inode,
  );
  if (!isWrapper) return "it does not run the wrapper of the pod's volume";
  return tracer === 0 ? undefined : "another process traces it";
}
