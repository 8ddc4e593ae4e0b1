import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { wrapperPath } from "../wrapper/wrapper-process.ts";

/** A cgroup as another program makes it on a machine. */
export interface PlacedCgroup extends AsyncDisposable {
  readonly path: string;
  /** A command that runs a program in it. */
  readonly command: (...words: readonly string[]) => readonly string[];
  /** One that runs the wrapper in it. */
  readonly wrapper: (...words: readonly string[]) => readonly string[];
}

const container = "ab".repeat(32);

/**
 * Makes a cgroup as the kubelet does for a container of a pod; needs root and the unified
 * hierarchy.
 */
export function podCgroup(uid: string): PlacedCgroup {
  return placedCgroup(["kubepods", `pod${uid}`, container]);
}

/** Makes a cgroup at a place below the root; needs root and the unified hierarchy. */
export function placedCgroup(names: readonly string[]): PlacedCgroup {
  const folders = names.map((_, index) => join(unifiedRoot(), ...names.slice(0, index + 1)));
  const made = folders.filter((folder) => !existsSync(folder));
  const path = folders.at(-1) ?? unifiedRoot();
  mkdirSync(path, { recursive: true });
  const script = `echo $$ > ${path}/cgroup.procs && exec "$0" "$@"`;
  const command = (...words: readonly string[]) => ["/bin/sh", "-c", script, ...words];
  return {
    path,
    command,
    wrapper: (...words) => command(wrapperPath, ...words),
    [Symbol.asyncDispose]: async () => {
      const isEmpty = () => readFileSync(join(path, "cgroup.procs"), "utf8") === "";
      await waitFor(isEmpty, { deadlineMs: 10_000, what: "the cgroup's processes to be gone" });
      for (const folder of made.toReversed()) {
        // Another test's may be below it.
        if (!hasFolders(folder)) rmdirSync(folder);
      }
    },
  };
}

function hasFolders(folder: string): boolean {
  return readdirSync(folder).some((name) => statSync(join(folder, name)).isDirectory());
}

/** Beside older hierarchies it has a separate folder. */
function unifiedRoot(): string {
  const beside = "/sys/fs/cgroup/unified";
  return existsSync(beside) ? beside : "/sys/fs/cgroup";
}
