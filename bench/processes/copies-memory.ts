import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@svc/testing";

/** The memory of all supervisors together, in MiB; proc_pid_smaps(5). */
export interface CopiesMemory {
  readonly proportionalMiB: number;
  readonly residentMiB: number;
}

const IDLE_MS = 2000;

/**
 * Starts wrappers, each from a separate copy as an emptyDir of a pod has it, and reads their
 * memory when they are idle. Pages of an executable are shared by the processes of one copy only.
 */
export async function copiesMemory(
  wrapper: string,
  env: Readonly<Record<string, string>>,
  count: number,
): Promise<CopiesMemory> {
  using folder = temporaryFolder();
  const children: Bun.Subprocess<"ignore", "pipe", "inherit">[] = [];
  try {
    for (let index = 0; index < count; index += 1) {
      const copy = copyOf(wrapper, join(folder.path, String(index)));
      const words = [copy, "--", "/bin/sh", "-c", "echo runs; exec sleep 600"];
      const child = Bun.spawn(words, { env, stdio: ["ignore", "pipe", "inherit"] });
      children.push(child);
      await child.stdout.getReader().read();
    }
    await Bun.sleep(IDLE_MS);
    const all = children.map(({ pid }) => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    return { proportionalMiB: total(all, "Pss"), residentMiB: total(all, "Rss") };
  } finally {
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(children.map((child) => child.exited));
  }
}

/** Copies a wrapper with its libraries. */
function copyOf(wrapper: string, folder: string): string {
  const parts = [
    ["bin", dirname(wrapper)],
    ["lib", join(dirname(wrapper), "../lib")],
  ] as const;
  for (const [name, from] of parts) {
    if (!existsSync(from)) continue;
    const to = join(folder, name);
    mkdirSync(to, { recursive: true });
    const isPart = (file: string) => name === "lib" || file === "svc-wrapper";
    for (const file of readdirSync(from).filter(isPart))
      copyFileSync(join(from, file), join(to, file));
  }
  return join(folder, "bin/svc-wrapper");
}

function total(texts: readonly string[], field: string): number {
  const pattern = new RegExp(`^${field}:\\s*(\\d+) kB$`, "m");
  return texts.reduce((sum, text) => sum + Number(pattern.exec(text)?.[1]), 0) / 1024;
}
