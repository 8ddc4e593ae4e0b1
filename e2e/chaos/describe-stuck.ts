import { readdirSync, readFileSync } from "node:fs";

/** Facts of the kernel, and of gdb if it is installed, about a process that no longer answers. */
export function describeStuck(pid: number): string {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((task) => describeThread(pid, task));
    return [...threads, backtraces(pid)].join("\n");
  } catch (error) {
    return `process ${pid}: ${String(error)}`;
  }
}

function describeThread(pid: number, task: string): string {
  const read = (name: string) => readFileSync(`/proc/${pid}/task/${task}/${name}`, "utf8").trim();
  const status = read("status")
    .split("\n")
    .filter((line) => /^(?:Name|State|Sig|Shd|ctxt)/.test(line))
    .join(" ")
    .replaceAll("\t", " ");
  return `thread ${task}: in ${read("wchan")}, system call ${read("syscall")}: ${status}`;
}

function backtraces(pid: number): string {
  const gdb = Bun.which("gdb");
  if (gdb === null) return "no gdb: no backtraces";
  const words = [gdb, "-p", String(pid), "-batch", "-ex", "thread apply all bt"];
  return Bun.spawnSync(words, { stderr: "ignore", timeout: 60_000 }).stdout.toString();
}
