import { dlopen, FFIType, type Pointer, ptr as pointerTo, read, toArrayBuffer } from "bun:ffi";
import type { EnvironmentEntry } from "../process/environment-block.ts";
import type { NewExecPreparer } from "../tracing/native-exec-preparer.ts";

const EQUALS = 0x3d;
// A byte order mark is a part of the name: without it the name would be another one.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const { i32: int, i64: long, ptr, u32: unsigned, u64: address } = FFIType;

/**
 * The functions of libc that this project calls, each bound once by its C prototype.
 *
 * A `ptr` parameter takes a typed array of this process. An `address` takes a number that came from
 * the kernel (a mapping, the environment block). It is never turned into a JS buffer by accident.
 */
export const libc = dlopen("libc.so.6", {
  // errno(3): int *__errno_location(void)
  __errno_location: { args: [], returns: address },
  // dlsym(3): void *dlsym(void *handle, const char *symbol)
  dlsym: { args: [address, ptr], returns: address },
  // getauxval(3): unsigned long getauxval(unsigned long type)
  getauxval: { args: [address], returns: address },
  // strlen(3): size_t strlen(const char *s)
  strlen: { args: [address], returns: address },
  // memcpy(3): void *memcpy(void *dest, const void *src, size_t n)
  memcpy: { args: [address, address, address], returns: address },
  // memset(3): void *memset(void *s, int c, size_t n)
  memset: { args: [address, int, address], returns: address },
  // syscall(2): long syscall(long number, ...)
  syscall: { args: [long, long, long, long, long, long, long], returns: long },
  // memfd_create(2): int memfd_create(const char *name, unsigned int flags)
  memfd_create: { args: [ptr, unsigned], returns: int },
  // ftruncate(2): int ftruncate(int fd, off_t length)
  ftruncate: { args: [int, long], returns: int },
  // mmap(2): void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
  mmap: { args: [address, address, int, int, int, long], returns: long },
  // munmap(2): int munmap(void *addr, size_t length)
  munmap: { args: [address, address], returns: int },
  // madvise(2): int madvise(void *addr, size_t length, int advice)
  madvise: { args: [address, address, int], returns: int },
  // mlock(2): int mlock(const void *addr, size_t len)
  mlock: { args: [address, address], returns: int },
  // mlockall(2): int mlockall(int flags)
  mlockall: { args: [int], returns: int },
  // prctl(2): int prctl(int option, unsigned long arg2, … arg5)
  prctl: { args: [int, address, address, address, address], returns: int },
  // getrlimit(2): int getrlimit(int resource, struct rlimit *rlim)
  getrlimit: { args: [int, ptr], returns: int },
  // setrlimit(2): int setrlimit(int resource, const struct rlimit *rlim)
  setrlimit: { args: [int, ptr], returns: int },
  // fcntl(2): int fcntl(int fd, int cmd, long arg)
  fcntl: { args: [int, int, long], returns: int },
  // pipe2(2): int pipe2(int pipefd[2], int flags)
  pipe2: { args: [ptr, int], returns: int },
  // read(2): ssize_t read(int fd, void *buf, size_t count)
  read: { args: [int, ptr, address], returns: long },
  // write(2): ssize_t write(int fd, const void *buf, size_t count)
  write: { args: [int, ptr, address], returns: long },
  // poll(2): int poll(struct pollfd *fds, nfds_t nfds, int timeout)
  poll: { args: [ptr, address, int], returns: int },
  // epoll_create1(2): int epoll_create1(int flags)
  epoll_create1: { args: [int], returns: int },
  // epoll_ctl(2): int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
  epoll_ctl: { args: [int, int, int, ptr], returns: int },
  // lseek(2): off_t lseek(int fd, off_t offset, int whence)
  lseek: { args: [int, long, int], returns: long },
  // close(2): int close(int fd)
  close: { args: [int], returns: int },
  // ioctl(2): int ioctl(int fd, unsigned long op, void *arg)
  ioctl: { args: [int, address, ptr], returns: int },
  // clock_gettime(2): int clock_gettime(clockid_t clockid, struct timespec *tp)
  clock_gettime: { args: [int, ptr], returns: int },
  // socket(2): int socket(int domain, int type, int protocol)
  socket: { args: [int, int, int], returns: int },
  // bind(2): int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen)
  bind: { args: [int, ptr, unsigned], returns: int },
  // listen(2): int listen(int sockfd, int backlog)
  listen: { args: [int, int], returns: int },
  // accept4(2): int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags)
  accept4: { args: [int, address, address, int], returns: int },
  // flock(2): int flock(int fd, int op)
  flock: { args: [int, int], returns: int },
  // sendto(2): ssize_t sendto(int sockfd, const void *buf, size_t len, int flags,
  //   const struct sockaddr *dest_addr, socklen_t addrlen)
  sendto: { args: [int, ptr, address, int, ptr, unsigned], returns: long },
  // getsockopt(2): int getsockopt(int sockfd, int level, int optname, void *optval, socklen_t
  // *optlen)
  getsockopt: { args: [int, int, int, ptr, ptr], returns: int },
  // kill(2): int kill(pid_t pid, int sig)
  kill: { args: [int, int], returns: int },
  // getppid(2): pid_t getppid(void)
  getppid: { args: [], returns: int },
  // getpgrp(2): pid_t getpgrp(void)
  getpgrp: { args: [], returns: int },
  // waitid(2): int waitid(idtype_t idtype, id_t id, siginfo_t *infop, int options)
  waitid: { args: [int, unsigned, ptr, int], returns: int },
  // ptrace(2): long ptrace(enum __ptrace_request op, pid_t pid, void *addr, void *data)
  ptrace: { args: [int, int, address, address], returns: long },
  // raise(3): int raise(int sig)
  raise: { args: [int], returns: int },
  // sigaction(2): int sigaction(int signum, const struct sigaction *act, struct sigaction *old)
  sigaction: { args: [int, ptr, ptr], returns: int },
  // pthread_sigmask(3): int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
  pthread_sigmask: { args: [int, ptr, ptr], returns: int },
  // sigtimedwait(2): int sigtimedwait(const sigset_t *s, siginfo_t *i, const struct timespec *t)
  sigtimedwait: { args: [ptr, ptr, ptr], returns: int },
  // execve(2): int execve(const char *pathname, char *const argv[], char *const envp[])
  execve: { args: [ptr, ptr, ptr], returns: int },
  // open(2): int open(const char *pathname, int flags, mode_t mode)
  open: { args: [ptr, int, unsigned], returns: int },
  // pread(2): ssize_t pread(int fd, void *buf, size_t count, off_t offset)
  pread: { args: [int, ptr, address, long], returns: long },
  // pwrite(2): ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)
  pwrite: { args: [int, ptr, address, long], returns: long },
  // readlink(2): ssize_t readlink(const char *pathname, char *buf, size_t bufsiz)
  readlink: { args: [ptr, ptr, address], returns: long },
  // getxattr(2): ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
  getxattr: { args: [ptr, ptr, ptr, address], returns: long },
  // statvfs(3): int statvfs(const char *path, struct statvfs *buf)
  statvfs: { args: [ptr, ptr], returns: int },
  // statx(2): int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *s)
  statx: { args: [int, ptr, int, unsigned, ptr], returns: int },
  // access(2): int access(const char *pathname, int mode)
  access: { args: [ptr, int], returns: int },
  // chmod(2): int chmod(const char *pathname, mode_t mode)
  chmod: { args: [ptr, unsigned], returns: int },
  // copy_file_range(2): ssize_t copy_file_range(int fd_in, off_t *off_in, int fd_out,
  //   off_t *off_out, size_t size, unsigned int flags)
  copy_file_range: { args: [int, ptr, int, ptr, address, unsigned], returns: long },
  // geteuid(2): uid_t geteuid(void)
  geteuid: { args: [], returns: unsigned },
  // mkdir(2): int mkdir(const char *pathname, mode_t mode)
  mkdir: { args: [ptr, unsigned], returns: int },
  // mkdtemp(3): char *mkdtemp(char *template)
  mkdtemp: { args: [ptr], returns: address },
  // openat(2): int openat(int dirfd, const char *pathname, int flags, mode_t mode)
  openat: { args: [int, ptr, int, unsigned], returns: int },
  // rename(2): int rename(const char *oldpath, const char *newpath)
  rename: { args: [ptr, ptr], returns: int },
  // unlinkat(2): int unlinkat(int dirfd, const char *pathname, int flags)
  unlinkat: { args: [int, ptr, int], returns: int },
  // posix_spawn(3): int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t
  //   *actions, const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
  posix_spawn: { args: [ptr, ptr, ptr, ptr, ptr, ptr], returns: int },
  // posix_spawnattr_init(3) and the four setters that follow
  posix_spawnattr_init: { args: [ptr], returns: int },
  posix_spawnattr_setflags: { args: [ptr, FFIType.i16], returns: int },
  posix_spawnattr_setpgroup: { args: [ptr, int], returns: int },
  posix_spawnattr_setsigmask: { args: [ptr, ptr], returns: int },
  posix_spawn_file_actions_init: { args: [ptr], returns: int },
  // int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *a, int fd, int newfd)
  posix_spawn_file_actions_adddup2: { args: [ptr, int, int], returns: int },
  posix_spawn_file_actions_destroy: { args: [ptr], returns: int },
}).symbols;

/** This process's architecture, as Node names it. */
export const architecture: string = process.arch;

/** This process's pid; getpid(2). */
export function processId(): number {
  return process.pid;
}

/**
 * This process's argv to the byte, if the runtime has it. Bun has replaced bytes that are not
 * UTF-8.
 */
export function givenArguments(): readonly Uint8Array[] | undefined {
  return undefined;
}

/** Ends this process; exit(3). */
export function exitProcess(status: number): never {
  return process.exit(status);
}

/** The path of this process's executable. */
export function executablePath(): string {
  return process.execPath;
}

/** Calls back with every error that was thrown or rejected and is not caught. To be called once. */
export function onUncaught(listener: (error: unknown) => void): void {
  process.on("uncaughtException", listener);
  process.on("unhandledRejection", listener);
}

/** Must be called before anything else calls libc: every call may overwrite errno (errno(3)). */
export function lastErrno(): number {
  // The address of this thread's errno is a valid int for as long as the thread runs.
  return read.i32(Number(libc.__errno_location()) as Pointer, 0);
}

/** The address of an array's bytes. Valid while the array is reachable. */
export function addressOf(bytes: NodeJS.TypedArray | DataView): number {
  return pointerTo(bytes);
}

const DIGEST_CHUNK_BYTES = 1 << 20;

/**
 * SHA-256 of an open file from its start to its end, in hexadecimal digits; FIPS 180-4.
 *
 * @throws Error with `syscall` and `errno`, as the engine's host does.
 */
export function sha256OfFile(fd: number): string {
  const hash = new Bun.CryptoHasher("sha256");
  const chunk = new Uint8Array(DIGEST_CHUNK_BYTES);
  for (let position = 0; ; ) {
    const count = Number(libc.pread(fd, chunk, chunk.length, position));
    if (count < 0)
      throw Object.assign(new Error("pread"), { syscall: "pread", errno: lastErrno() });
    if (count === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, count));
    position += count;
  }
}

/** A view of memory that the caller knows to be mapped for as long as it is used. */
export function bytesAt(address: number, length: number): Uint8Array {
  return new Uint8Array(toArrayBuffer(address as Pointer, 0, length));
}

/** To be called when the memory behind a view of `bytesAt` goes away. */
export function forgetBytes(_view: Uint8Array): void {
  // Bun has no way to take a view back.
}

/** This process's environment, in the order of its vector; environ(7). */
export function readEnvironment(): readonly EnvironmentEntry[] {
  const entries: EnvironmentEntry[] = [];
  const vector = readAddress(Number(libc.dlsym(0, new TextEncoder().encode("environ\0"))));
  for (let slot = vector; slot !== 0; slot += 8) {
    // The vector ends in NULL.
    const address = readAddress(slot);
    if (address === 0) break;
    entries.push(entryAt(address));
  }
  return entries;
}

function entryAt(address: number): EnvironmentEntry {
  const length = Number(libc.strlen(address));
  const bytes = length === 0 ? new Uint8Array(0) : bytesAt(address, length);
  const equals = bytes.indexOf(EQUALS);
  const nameLength = equals < 0 ? length : equals;
  return {
    name: decoder.decode(bytes.subarray(0, nameLength)),
    address,
    length,
    valueOffset: equals < 0 ? length : equals + 1,
  };
}

/** The address at an address that the caller knows to be mapped. */
function readAddress(address: number): number {
  return read.ptr(address as Pointer, 0);
}

/** Undefined: only the small engine prepares programs without a turn of the script. */
export const newExecPreparer: NewExecPreparer | undefined = undefined;
