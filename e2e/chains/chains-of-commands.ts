import type { Chain } from "./chain.ts";

const python = ["python3", "worker.py"] as const;
const asRoot = { unprivileged: "it asks for root" } as const;
const entrypoint = { "entrypoint.sh!": '#!/bin/sh\nset -e\nls / >/dev/null\nexec "$@"\n' };

/** Shells, and commands that become a program or wait for it. */
export const chainsOfCommands: readonly Chain[] = [
  { name: "python3 alone", words: python },
  { name: "an entrypoint script", words: ["./entrypoint.sh", ...python], files: entrypoint },
  { name: "sh -c that waits", words: ["sh", "-c", "python3 worker.py; exit $?"] },
  {
    name: "sh -c whose pipe ends with 4",
    words: ["sh", "-c", "echo | sh worker.sh; exit 4"],
    endedBy: "file",
  },
  {
    name: "bash with a background job and a trap",
    words: ["bash", "-c", 'trap "kill %1; exit 5" TERM; python3 worker.py & wait'],
  },
  { name: "env", words: ["env", "ADDED=1", ...python] },
  {
    name: "nice, nohup and setsid",
    words: ["nice", "nohup", "setsid", "--fork", "--wait", ...python],
  },
  { name: "timeout", words: ["timeout", "3600", ...python] },
  { name: "flock", words: ["flock", "FOLDER/lock", ...python] },
  { name: "stdbuf", words: ["stdbuf", "-o0", ...python] },
  { name: "chrt and taskset", words: ["chrt", "-o", "0", "taskset", "1", ...python] },
  { name: "tini", words: ["tini", "-s", "--", ...python], needs: ["/usr/bin/tini"] },
  { name: "dumb-init", words: ["dumb-init", "--", ...python], needs: ["/usr/bin/dumb-init"] },
  {
    name: "catatonit",
    words: ["catatonit", "--", ...python],
    needs: ["/usr/bin/catatonit"],
    isStatic: "first",
  },
  {
    name: "tini, an entrypoint script, sh and npm's kind of nesting",
    words: ["tini", "-s", "--", "./entrypoint.sh", "sh", "-c", "sh -c 'python3 worker.py'; exit 6"],
    files: entrypoint,
    needs: ["/usr/bin/tini"],
  },
  {
    name: "gosu",
    isStatic: "first",
    words: ["gosu", "nobody", "./entrypoint.sh", ...python],
    files: entrypoint,
    needs: ["/usr/sbin/gosu"],
    not: asRoot,
  },
  {
    name: "setpriv that changes the user",
    words: ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", ...python],
    not: asRoot,
  },
  { name: "runuser", words: ["runuser", "-u", "nobody", "--", ...python], not: asRoot },
  {
    name: "su",
    words: ["su", "-m", "-s", "/bin/sh", "-c", "python3 worker.py", "nobody"],
    not: asRoot,
  },
  {
    name: "chroot",
    words: ["chroot", "/", "sh", "-c", "cd FOLDER; python3 worker.py"],
    not: asRoot,
  },
  { name: "sudo -E", words: ["sudo", "-E", ...python], needs: ["/usr/bin/sudo"], not: asRoot },
  {
    name: "strace -f",
    words: [
      "strace",
      "-f",
      "-o",
      "FOLDER/trace",
      "-e",
      "trace=execve",
      "sh",
      "-c",
      "python3 worker.py; :",
    ],
    needs: ["/usr/bin/strace"],
    endedBy: "both",
    traced: "strace traces it",
    unprotected: { because: "strace traces it", warning: "another process traces it" },
    not: { "without ptrace": "strace cannot trace" },
  },
  { name: "script", words: ["script", "-qec", "python3 worker.py", "/dev/null"] },
  {
    name: "find -exec",
    words: ["find", ".", "-name", "worker.py", "-exec", "python3", "{}", ";"],
    endedBy: "file",
  },
  { name: "xargs", words: ["sh", "-c", "echo worker.py | xargs python3"], endedBy: "file" },
  {
    name: "parallel",
    words: ["parallel", "--will-cite", "-j2", "python3", "{}", ":::", "worker.py", "./worker.py"],
    needs: ["/usr/bin/parallel"],
    workers: 2,
    endedBy: "file",
  },
  {
    name: "make",
    words: ["make", "-s", "all"],
    files: { Makefile: "all:\n\tpython3 worker.py && exit 7\n" },
    endedBy: "file",
  },
  {
    name: "watch of procps, on a terminal",
    words: ["script", "-qec", "watch -t -n 1 python3 worker.py", "/dev/null"],
    environment: { TERM: "xterm" },
  },
  {
    name: "entr",
    words: ["sh", "-c", "echo worker.py | entr -n -r python3 worker.py"],
    needs: ["/usr/bin/entr"],
  },
  {
    name: "awk's system",
    words: ["awk", 'BEGIN { exit system("python3 worker.py") }'],
    endedBy: "file",
  },
  {
    name: "an alias of git",
    words: ["git", "-c", "alias.work=!python3 FOLDER/worker.py", "work"],
    needs: ["/usr/bin/git"],
    endedBy: "file",
  },
  {
    name: "busybox sh -c",
    words: ["busybox", "sh", "-c", "python3 worker.py; exit $?"],
    needs: ["/usr/bin/busybox"],
    isStatic: "first",
  },
  {
    name: "applets of busybox: env and timeout",
    words: ["busybox", "env", "busybox", "timeout", "3600", ...python],
    needs: ["/usr/bin/busybox"],
    isStatic: "first",
  },
  {
    name: "applets of busybox: find and xargs",
    words: ["busybox", "sh", "-c", "busybox find . -name worker.py | busybox xargs -n 1 python3"],
    needs: ["/usr/bin/busybox"],
    isStatic: "first",
    endedBy: "file",
  },
];
