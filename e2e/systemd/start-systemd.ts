import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { buildBpf } from "../../scripts/build/bpf.ts";

/** A systemd of this machine's version that runs as PID 1 in a separate root. */
export interface Systemd extends AsyncDisposable {
  /** Runs a command beside it and gives the output. Throws if the command fails. */
  readonly run: (...words: readonly string[]) => Promise<string>;
  /** Runs a command and gives only its exit status. */
  readonly tryRun: (...words: readonly string[]) => Promise<number>;
  /** One property of a unit. */
  readonly property: (unit: string, name: string) => Promise<string>;
  /** Writes a file as root's own. */
  readonly write: (path: string, text: string) => Promise<void>;
}

const checkout = resolve(import.meta.dir, "../..");
const DEADLINE_MS = 20_000;

/** Boots it, and waits until it takes orders. It shares the network with the tests. */
export async function startSystemd(): Promise<Systemd> {
  buildBpf(checkout);
  const folder = temporaryFolder();
  const cgroup = `svc-systemd-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc"];
  const child = Bun.spawn(
    ["unshare", ...namespaces, join(import.meta.dir, "boot.sh"), folder.path, checkout, cgroup],
    { stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const complaints = new Response(child.stderr).text();
  const pid = await waitFor(() => childOf(child.pid), { deadlineMs: DEADLINE_MS, what: "a child" });
  const inside = ["nsenter", "-t", String(pid), "-m", "-p", "-u", "-i", "-r", "-w"];
  const spawn = (words: readonly string[], input = "") =>
    Bun.spawn([...inside, ...words], {
      env: { PATH: "/usr/bin:/usr/sbin" },
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
  const finish = async (words: readonly string[], input?: string) => {
    const process = spawn(words, input);
    const output = [new Response(process.stdout).text(), new Response(process.stderr).text()];
    const [out = "", err = ""] = await Promise.all(output);
    return { exitCode: await process.exited, out, err };
  };
  const run = async (...words: readonly string[]) => {
    const { exitCode, out, err } = await finish(words);
    if (exitCode !== 0) throw new TypeError(`${words.join(" ")}: exit ${exitCode}: ${out}${err}`);
    return out;
  };
  const isUp = async () => {
    if (child.exitCode !== null) throw new TypeError(`boot.sh: ${await complaints}`);
    const { out } = await finish(["systemctl", "is-system-running"]);
    return /running|degraded/.test(out);
  };
  await waitFor(isUp, { deadlineMs: DEADLINE_MS, what: "systemd to run" });
  return {
    run,
    tryRun: async (...words) => (await finish(words)).exitCode,
    property: async (unit, name) =>
      (await run("systemctl", "show", "--value", "-p", name, unit)).trim(),
    write: async (path, text) => {
      const { exitCode } = await finish(["sh", "-c", `umask 077 && cat >"$0"`, path], text);
      if (exitCode !== 0) throw new TypeError(`write ${path}: exit ${exitCode}`);
    },
    [Symbol.asyncDispose]: async () => {
      // The first process of a PID namespace takes all others with it.
      process.kill(pid, "SIGKILL");
      await child.exited;
      await removeCgroup(cgroup);
      folder[Symbol.dispose]();
    },
  };
}

function childOf(pid: number): number | undefined {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? undefined : Number(text.split(" ")[0]);
}

/** Removes the cgroup and systemd's cgroups below it, in each mount of cgroup2. */
async function removeCgroup(name: string): Promise<void> {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const at = mounts.map((line) => line.split(" ")).find(([, , type]) => type === "cgroup2")?.[1];
  if (at === undefined) return;
  const path = join(at, name);
  const isGone = () => {
    removeTree(path);
    return !existsSync(path);
  };
  await waitFor(isGone, { deadlineMs: DEADLINE_MS, what: "the cgroup to be empty" });
}

function removeTree(path: string): void {
  if (!existsSync(path)) return;
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(path, entry.name));
    }
    rmdirSync(path);
  } catch {
    // Its processes are still on their way out: asked again.
  }
}
