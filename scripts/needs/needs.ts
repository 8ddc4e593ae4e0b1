import { join } from "node:path";
import { machines } from "../generate/system-calls/machines.ts";

/** The occasions on which commands are looked for. */
export const occasions = ["demo", "build", "generate", "check", "test", "cluster"] as const;

/** One of the occasions. */
export type Occasion = (typeof occasions)[number];

/**
 * Debian's packages by their commands. A name that begins with `/` is a file. One with spaces is a
 * command that has to succeed.
 */
export type Needs = Readonly<Record<string, string>>;

/** To compile the programs, the interposer, and C in Go's modules. */
const build: Needs = {
  gcc: "gcc",
  "/usr/include/stdio.h": "libc6-dev",
  flock: "util-linux",
  unshare: "util-linux",
  "dpkg-deb": "dpkg",
};

/** OpenBao comes from Python's registry. */
const openBao: Needs = { "python3 -m pip --version": "python3-pip" };

/** The kernel's headers with the numbers of system calls: scripts/generate/system-calls. */
const headers: Needs = Object.fromEntries(
  machines
    .flatMap(({ numberings }) => numberings)
    .map(({ header }) => [join(header.folder, header.header), header.debianPackage]),
);

/** The commands that tests call. */
const tests: Needs = {
  openssl: "openssl",
  setpriv: "util-linux",
  prlimit: "util-linux",
  nsenter: "util-linux",
  perl: "perl-base",
  systemctl: "systemd",
  script: "bsdutils",
  setcap: "libcap2-bin",
  strace: "strace",
  gcore: "gdb",
  tini: "tini",
  "dumb-init": "dumb-init",
  catatonit: "catatonit",
  gosu: "gosu",
  gpg: "gnupg",
  "gpg-agent": "gnupg",
  age: "age",
  busybox: "busybox-static",
  "qemu-x86_64-static": "qemu-user-static",
  minisign: "minisign",
  rpm: "rpm",
  zsh: "zsh",
  "docker-registry": "docker-registry",
  "musl-gcc": "musl-tools",
  "aarch64-linux-gnu-as": "binutils-aarch64-linux-gnu",
  "clang-19": "clang-19",
  "llvm-strip-19": "llvm-19",
  // No command: the headers of BPF programs, and with them the library that loads those.
  "/usr/include/bpf/bpf_helpers.h": "libbpf-dev",
};

/** By their paths, for they are in no user's PATH but root's. */
const cluster: Needs = {
  "/usr/sbin/runc": "runc",
  "/usr/sbin/nft": "nftables",
  "/sbin/ip": "iproute2",
};

const needs: Readonly<Record<Occasion, Needs>> = {
  demo: { ...build, ...openBao },
  build,
  generate: headers,
  check: { ...build, ...headers },
  test: { ...build, ...openBao, ...headers, ...tests },
  cluster: { ...build, ...openBao, ...headers, ...tests, ...cluster },
};

/** Whether Go has to be there: the programs and the library in `go/` are compiled with it. */
export function needsGo(occasion: Occasion): boolean {
  return occasion === "check" || occasion === "test" || occasion === "cluster";
}

/**
 * Debian's packages that are missing on an occasion, each once and in order.
 *
 * @param isThere whether a command or a file is there.
 */
export function missingPackages(
  occasion: Occasion,
  isThere: (name: string) => boolean,
): readonly string[] {
  const missing = Object.entries(needs[occasion]).filter(([name]) => !isThere(name));
  return [...new Set(missing.map(([, debianPackage]) => debianPackage))].toSorted();
}
