import { architecture } from "#native";

/**
 * Numbers of system calls that differ between architectures: arch/x86/entry/syscalls/
 * syscall_64.tbl and include/uapi/asm-generic/unistd.h of the kernel.
 */
export interface SystemCallTable {
  readonly seccomp: number;
  readonly execve: number;
  readonly execveat: number;
  readonly socketpair: number;
  readonly connect: number;
  readonly sendmsg: number;
  readonly recvmsg: number;
  readonly setresuid: number;
  readonly setresgid: number;
  readonly ioctl: number;
  readonly signalfd4: number;
  readonly rt_sigaction: number;
  readonly rt_sigqueueinfo: number;
  readonly newfstatat: number;
  readonly wait4: number;
  readonly getrlimit: number;
  /** arm64 has pipe2 alone. */
  readonly pipe?: number;
  readonly getuid: number;
  readonly getgid: number;
  /** Calls that change the user or the group of a thread: setuid(2), setgid(2) and similar ones. */
  readonly changesOfUser: readonly number[];
}

const tables: Readonly<Record<string, SystemCallTable>> = {
  x64: {
    seccomp: 317,
    execve: 59,
    execveat: 322,
    socketpair: 53,
    connect: 42,
    sendmsg: 46,
    recvmsg: 47,
    setresuid: 117,
    setresgid: 119,
    ioctl: 16,
    signalfd4: 289,
    rt_sigaction: 13,
    rt_sigqueueinfo: 129,
    newfstatat: 262,
    wait4: 61,
    getrlimit: 97,
    pipe: 22,
    getuid: 102,
    getgid: 104,
    // setuid, setgid, setreuid, setregid, setresuid, setresgid, setfsuid, setfsgid
    changesOfUser: [105, 106, 113, 114, 117, 119, 122, 123],
  },
  arm64: {
    seccomp: 277,
    execve: 221,
    execveat: 281,
    socketpair: 199,
    connect: 203,
    sendmsg: 211,
    recvmsg: 212,
    setresuid: 147,
    setresgid: 149,
    ioctl: 29,
    signalfd4: 74,
    rt_sigaction: 134,
    rt_sigqueueinfo: 138,
    newfstatat: 79,
    wait4: 260,
    getrlimit: 163,
    getuid: 174,
    getgid: 176,
    changesOfUser: [146, 144, 145, 143, 147, 149, 151, 152],
  },
};

/** The table of an architecture, by Node's name of it; by default that of this process. */
export function systemCallTable(of: string = architecture): SystemCallTable {
  const table = tables[of];
  if (table === undefined) throw new TypeError(`no system call numbers for ${of}`);
  return table;
}
