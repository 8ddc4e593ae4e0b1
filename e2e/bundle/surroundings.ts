/** The surroundings of a wrapper: options of testdata/enters-root.c and variables. */
export interface Surroundings {
  readonly options: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const nobody = ["-u", "65534"] as const;

/**
 * Variables that steer runtimes, loaders and C libraries; /opt/app holds the files that they name.
 */
export const hostileVariables = {
  LD_PRELOAD: "/opt/app/missing.so /opt/app/steers.so",
  LD_LIBRARY_PATH: "/opt/app/wrong:/lib:/usr/lib",
  LD_AUDIT: "/opt/app/steers.so",
  LD_DEBUG: "all",
  LD_BIND_NOW: "1",
  LD_SHOW_AUXV: "1",
  LD_TRACE_LOADED_OBJECTS: "1",
  NODE_OPTIONS: "--require=/opt/app/steers.js",
  BUN_OPTIONS: "--preload=/opt/app/steers.js",
  BUN_BE_BUN: "1",
  BUN_INSPECT: "127.0.0.1:0",
  BUN_JSC_dumpOptions: "1",
  MALLOC_ARENA_MAX: "1",
  MALLOC_CHECK_: "3",
  MALLOC_PERTURB_: "85",
  MALLOC_CONF: "stats_print:true",
  MIMALLOC_VERBOSE: "1",
  GLIBC_TUNABLES: "glibc.malloc.check=3:glibc.malloc.perturb=85:glibc.nothing=x",
  GCONV_PATH: "/opt/app/wrong",
  LOCPATH: "/opt/app/wrong",
  LC_ALL: "xx_XX.UTF-8",
  TZ: ":/opt/app/wrong/libm.so.6",
  RES_OPTIONS: "attempts:0",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  SSL_CERT_FILE: "/opt/app/missing.pem",
  NODE_EXTRA_CA_CERTS: "/opt/app/missing.pem",
  TMPDIR: "/missing",
  HOME: "/missing",
} as const;

/** The effects of images, runtimes and policies on a container. */
export const surroundings: Readonly<Record<string, Surroundings>> = {
  "as a runtime gives it": { options: ["-t"] },
  "a writable root": { options: ["-t", "-w"] },
  "a read-only root and no /tmp": { options: [] },
  "no /dev/shm": { options: ["-d", "noshm"] },
  "nothing in /dev": { options: ["-d", "empty"] },
  "user 65534 without capabilities": { options: ["-t", ...nobody] },
  "no capabilities and no_new_privs": { options: ["-t", "-n"] },
  "64 KiB of lockable memory": { options: ["-t", "-n", ...nobody, "-l", "65536"] },
  "/proc that hides other users' processes": { options: ["-t", ...nobody, "-p", "hidepid=2"] },
  "/proc of processes only": { options: ["-t", "-p", "subset=pid"] },
  "a hostile environment": { options: ["-t"], environment: hostileVariables },
  "all of that at once": {
    options: ["-n", ...nobody, "-l", "65536", "-d", "empty", "-p", "hidepid=2,subset=pid"],
    environment: hostileVariables,
  },
};
