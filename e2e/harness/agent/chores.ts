import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ordinaryAdministration } from "./administration.ts";
import { processesOf } from "./is-about.ts";

/** Something that administrators and their tools do beside protected programs. */
export interface Chore {
  readonly who: string;
  readonly words: readonly string[];
  /** It opens a file that may hold values or addresses: an agent with hooks may refuse that one. */
  readonly reachesFurther: boolean;
}

/** The chores of a soak, and their faults. */
export interface Chores {
  /** Runs one; the next call runs the next one. */
  readonly runNext: () => Promise<void>;
  /** How often each kind was run. */
  readonly runs: () => Readonly<Record<string, number>>;
  /** Commands that a signal has ended, or that failed if nothing may be refused. */
  readonly faults: () => readonly string[];
  /** True of a record that is a chore's, and as docs/guides/stop-the-attempts.md says. */
  readonly explains: (record: object) => boolean;
  readonly end: () => void;
}

/** Files of /proc/PID that a policy has to allow if hooks refuse. */
export const furtherFiles: readonly string[] = [
  "environ",
  "maps",
  "smaps",
  "numa_maps",
  "pagemap",
  "auxv",
];
const byTool = ["ps", "top", "lsof"];
const REMEMBERED = 30_000;

/** Makes chores about processes, which come in an endless row. */
export function startChores(pids: () => readonly number[]): Chores {
  const folder = mkdtempSync(join(tmpdir(), "svc-chores-"));
  const packed = buildPackage(folder);
  const runs: Record<string, number> = {};
  const faults: string[] = [];
  const known = new Set<number>();
  let row: readonly Chore[] = [];
  return {
    runNext: async () => {
      if (row.length === 0) {
        row = shuffled(pids().flatMap((pid) => choresBeside(pid, packed, folder)));
      }
      const [chore, ...rest] = row;
      row = rest;
      if (chore === undefined) return;
      const child = Bun.spawn([...chore.words], { stdio: ["ignore", "ignore", "pipe"] });
      known.add(child.pid);
      const [oldest] = known;
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      const [complaint] = await Promise.all([child.stderr.text(), child.exited]);
      runs[chore.who] = (runs[chore.who] ?? 0) + 1;
      const { signalCode, exitCode } = child;
      const isWrong = signalCode !== null || (exitCode !== 0 && !chore.reachesFurther);
      if (isWrong) {
        const end = signalCode ?? `exit ${exitCode}`;
        faults.push(`${chore.who}: ${chore.words.join(" ")}: ${end}: ${complaint.slice(0, 300)}`);
      }
    },
    runs: () => runs,
    faults: () => faults,
    explains: (record) => {
      const { actor, actorParent } = processesOf(record);
      const { kind, file, decision } = Object(record);
      const isChore = known.has(actor) || known.has(actorParent);
      return (
        isChore && kind === "process_file" && furtherFiles.includes(file) && decision !== "killed"
      );
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function choresBeside(pid: number, packed: string, folder: string): readonly Chore[] {
  const reading = ordinaryAdministration(pid).flatMap(([who, commands]) =>
    commands.map((words) => ({ who, words, reachesFurther: reachesFurther(words) })),
  );
  const script = (who: string, text: string): Chore => ({
    ...{ who, words: ["sh", "-ec", text, "sh", `${pid}`, packed, folder] },
    reachesFurther: false,
  });
  return [
    ...reading,
    script("dpkg", dpkg),
    script(
      "apt",
      "apt-cache policy dpkg >/dev/null; apt-cache depends dpkg >/dev/null; dpkg -l >/dev/null",
    ),
    script("gdb of a user on the user's own program", gdb),
    script("strace of root on another program", "strace -qq -f -o /dev/null sh -c 'sleep 0.01'"),
    script("a service manager that restarts a service", service),
    script("cadvisor", "find /sys/fs/cgroup -maxdepth 3 -name '*.stat' -exec cat {} + >/dev/null"),
    script("a container runtime", "nsenter --target $1 --uts --net true"),
    script("a logger that asks who wrote", "readlink /proc/$1/exe /proc/$1/cwd >/dev/null"),
  ];
}

/** A slow guest does only some of a row. */
function shuffled(chores: readonly Chore[]): readonly Chore[] {
  return chores
    .map((chore) => ({ chore, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ chore }) => chore);
}

/** `ps e` and lsof go on with the files that they may read. */
function reachesFurther(words: readonly string[]): boolean {
  const [program = ""] = words;
  return (
    byTool.includes(program) || furtherFiles.some((name) => words.at(-1)?.endsWith(`/${name}`))
  );
}

const dpkg = `
root=$(mktemp -d "$3/root.XXXXXX")
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-depends -i "$2" >/dev/null 2>&1
dpkg --root="$root" -r svc-soak >/dev/null 2>&1
rm -r "$root"`;

const gdb = `
setpriv --reuid=65534 --regid=65534 --clear-groups sleep 1000 &
own=$!
while kill -0 $own && [ "$(cat /proc/$own/comm)" != sleep ]; do sleep 0.01; done
setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent gdb -nx --batch -p $own \\
  -ex 'info registers' -ex 'x/4x $sp' -ex detach >/dev/null 2>&1
kill $own
wait $own || true`;

const service = `
for start in 1 2; do
  sh -c 'trap "exit 0" TERM; while :; do sleep 0.02; done' &
  main=$!
  sleep 0.03
  kill -TERM $main
  wait $main || true
done`;

/** A package with one file. */
function buildPackage(folder: string): string {
  const tree = join(folder, "tree");
  mkdirSync(join(tree, "DEBIAN"), { recursive: true });
  mkdirSync(join(tree, "opt"));
  writeFileSync(join(tree, "opt/soak"), "soak\n");
  const control = [
    ...["Package: svc-soak", "Version: 1", "Architecture: all"],
    ...["Maintainer: Tests <tests@example.test>", "Description: a package", ""],
  ];
  writeFileSync(join(tree, "DEBIAN/control"), control.join("\n"));
  const file = join(folder, "soak.deb");
  const { exitCode, stderr } = Bun.spawnSync(["dpkg-deb", "-Zgzip", "--build", tree, file]);
  if (exitCode !== 0) throw new TypeError(`build a package: ${stderr}`);
  return file;
}
