/** Commands that run beside a protected process, whose pid is `$VICTIM`, by their users. */
export const neighbours: readonly (readonly [who: string, script: string])[] = [
  ["ps", "ps aux; ps -ef; ps -eLf; ps auxe; ps -o pid,wchan,cgroup,args -p $VICTIM"],
  ["top", "top -bn1; top -H -bn1"],
  ["pgrep and pidof", "pgrep -af svc; pidof svc-attack; pkill -0 svc-attack; kill -0 $VICTIM"],
  [
    "a process that lists open files",
    "ls -l /proc/$VICTIM/fd /proc/$VICTIM/ns; cat /proc/$VICTIM/fdinfo/0",
  ],
  [
    "a log daemon that asks who wrote a line",
    "cd /proc/$VICTIM; cat comm cmdline status cgroup loginuid sessionid stat; readlink exe cwd root",
  ],
  [
    "an agent of metrics",
    "cd /proc/$VICTIM; cat stat statm io limits smaps_rollup oom_score schedstat net/dev; ls fd | wc -l",
  ],
  ["a container runtime that enters its namespaces", "nsenter --target $VICTIM --uts --net true"],
  [
    "a container runtime that masks files, which it opens with O_PATH",
    `perl -e 'for ("/proc/kcore", "/proc/$ENV{VICTIM}/mem") { -e and (sysopen(F, $_, 010000000) or die $_) }'`,
  ],
  ["a shell that signals it", "kill -0 $VICTIM; kill -CONT $VICTIM; kill -WINCH $VICTIM"],
  ["find", "find /proc/$VICTIM -maxdepth 1; find /usr/include -name stdio.h"],
  ["a build", "echo 'int main(void){return 0;}' | gcc -x c - -o /dev/null"],
  [
    "another program that looks at itself",
    "cat /proc/self/maps /proc/self/environ /proc/self/auxv",
  ],
];
