/** A wait of this length is told to people. */
const QUIET_MS = 500;

/**
 * Does work while this process holds the lock of a file; flock(1). The lock ends with the process,
 * also if that is killed.
 *
 * @param waits is called if another process holds the lock.
 */
export async function withLock<T>(
  path: string,
  waits: () => void,
  work: () => Promise<T>,
): Promise<T> {
  // `cat` runs only under the lock, and ends at the end of its input: at the latest with us.
  const holder = Bun.spawn(["flock", path, "cat"], { stdin: "pipe", stdout: "pipe" });
  const timer = setTimeout(waits, QUIET_MS);
  try {
    holder.stdin.write("\n");
    await holder.stdin.flush();
    const { done } = await holder.stdout.getReader().read();
    if (done) throw new Error(`lock ${path}: flock ended with status ${await holder.exited}`);
    clearTimeout(timer);
    return await work();
  } finally {
    clearTimeout(timer);
    await holder.stdin.end();
    await holder.exited;
  }
}
