import type { Chain } from "./chain.ts";

const asRoot = { unprivileged: "it asks for root" } as const;

/** Programs that keep services running, and those that start them at a time. */
export const chainsOfSupervisors: readonly Chain[] = [
  {
    name: "supervisord",
    words: ["supervisord", "-n", "-c", "FOLDER/supervisord.conf"],
    needs: ["python packages"],
    files: {
      "supervisord.conf": [
        "[supervisord]",
        "logfile=/dev/null\nlogfile_maxbytes=0\npidfile=FOLDER/supervisord.pid",
        "[program:worker]\ncommand=python3 FOLDER/worker.py",
        "[program:shell]\ncommand=sh FOLDER/worker.sh",
        "",
      ].join("\n"),
    },
    workers: 2,
  },
  {
    name: "honcho",
    words: ["honcho", "start"],
    needs: ["python packages"],
    files: { Procfile: "web: python3 worker.py\nother: sh worker.sh\n" },
    workers: 2,
  },
  {
    name: "circusd",
    words: ["circusd", "circus.ini"],
    needs: ["python packages"],
    files: {
      "circus.ini": [
        "[circus]",
        "endpoint = ipc://FOLDER/endpoint",
        "pubsub_endpoint = ipc://FOLDER/pubsub",
        "[watcher:worker]\ncmd = python3 worker.py\ncopy_env = True\n",
      ].join("\n"),
    },
  },
  {
    name: "s6-svscan",
    words: ["s6-svscan", "FOLDER/services"],
    needs: ["/usr/bin/s6-svscan", "/usr/bin/execlineb"],
    files: {
      "services/one/run!": "#!/bin/sh\ncd FOLDER\nexec python3 worker.py\n",
      "services/two/run!":
        "#!/usr/bin/execlineb -P\ncd FOLDER\nforeground { true }\npython3 worker.py\n",
    },
    workers: 2,
  },
  {
    name: "s6-setuidgid and s6-softlimit",
    words: ["s6-softlimit", "-o", "512", "s6-setuidgid", "nobody", "python3", "worker.py"],
    needs: ["/usr/bin/s6-svscan"],
    not: asRoot,
  },
  {
    name: "execlineb",
    words: ["execlineb", "-P", "-c", "foreground { true } if { true } python3 worker.py"],
    needs: ["/usr/bin/execlineb"],
  },
  {
    name: "runsvdir",
    words: ["runsvdir", "-P", "FOLDER/services"],
    needs: ["/usr/bin/runsvdir"],
    files: { "services/worker/run!": "#!/bin/sh\ncd FOLDER\nexec python3 worker.py\n" },
  },
  {
    name: "chpst that changes the user",
    words: ["chpst", "-u", "nobody", "-o", "512", "python3", "worker.py"],
    needs: ["/usr/bin/runsvdir"],
    not: asRoot,
  },
  {
    name: "start-stop-daemon",
    words: ["start-stop-daemon", "--start", "--exec", "FOLDER/worker-c", "--pidfile", "FOLDER/pid"],
  },
  {
    name: "a script that starts a daemon",
    words: ["sh", "-c", "setsid -f python3 worker.py; while [ ! -e end ]; do sleep 0.1; done"],
    endedBy: "file",
  },
  {
    name: "cron, whose jobs get a separate environment",
    words: ["unshare", "-m", "sh", "starts-cron.sh"],
    needs: ["/usr/sbin/cron"],
    files: {
      "starts-cron.sh": "mount -t tmpfs none /run\nset -- prove\n. ./worker.sh\nexec cron -f\n",
    },
    not: asRoot,
  },
  {
    name: "crond of busybox",
    isStatic: "first",
    words: ["busybox", "crond", "-f", "-c", "FOLDER/crontabs"],
    needs: ["/usr/bin/busybox"],
    files: { "crontabs/root": "* * * * * exec python3 FOLDER/worker.py\n" },
    not: asRoot,
  },
  {
    name: "systemd-run --scope",
    words: ["systemd-run", "--scope", "--quiet", "python3", "worker.py"],
    needs: ["systemd"],
  },
];
