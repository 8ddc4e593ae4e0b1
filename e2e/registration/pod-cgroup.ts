import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { wrapperPath } from "../wrapper/wrapper-process.ts";

/** A cgroup as the kubelet makes it for a container of a pod. */
export interface PodCgroup extends AsyncDisposable {
  /** A command that runs a program in it. */
  readonly command: (...words: readonly string[]) => readonly string[];
  /** One that runs the wrapper in it. */
  readonly wrapper: (...words: readonly string[]) => readonly string[];
}

const container = "ab".repeat(32);

/** Makes the cgroup; needs root and the unified hierarchy. */
export function podCgroup(uid: string): PodCgroup {
  const pod = join(unifiedRoot(), "kubepods", `pod${uid}`);
  const path = join(pod, container);
  mkdirSync(path, { recursive: true });
  const script = `echo $$ > ${path}/cgroup.procs && exec "$0" "$@"`;
  const command = (...words: readonly string[]) => ["/bin/sh", "-c", script, ...words];
  return {
    command,
    wrapper: (...words) => command(wrapperPath, ...words),
    [Symbol.asyncDispose]: async () => {
      const isEmpty = () => readFileSync(join(path, "cgroup.procs"), "utf8") === "";
      await waitFor(isEmpty, { deadlineMs: 10_000, what: "the pod's processes to be gone" });
      for (const folder of [path, pod]) rmdirSync(folder);
      const parent = join(pod, "..");
      if (!readdirSync(parent).some((name) => statSync(join(parent, name)).isDirectory())) {
        rmdirSync(parent);
      }
    },
  };
}

/** Beside older hierarchies it has a folder of its own. */
function unifiedRoot(): string {
  const beside = "/sys/fs/cgroup/unified";
  return existsSync(beside) ? beside : "/sys/fs/cgroup";
}
