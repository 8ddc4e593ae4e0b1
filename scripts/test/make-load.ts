/** The most that each process of a load uses of a processor; RLIMIT_CPU of setrlimit(2). */
const MOST_SECONDS = 3600;

/**
 * Keeps processors busy by as many processes as `count`, until it is disposed. The kernel ends them
 * with this process, and after an hour of work.
 */
export function makeLoad(count: number): Disposable {
  const children = Array.from({ length: count }, () =>
    Bun.spawn(
      [
        ...["setpriv", "--pdeathsig", "KILL", "prlimit", `--cpu=${MOST_SECONDS}`],
        ...["sha256sum", "/dev/zero"],
      ],
      { stdio: ["ignore", "ignore", "ignore"] },
    ),
  );
  return {
    [Symbol.dispose]: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}
