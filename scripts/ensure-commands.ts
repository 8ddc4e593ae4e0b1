/**
 * Installs the Debian packages of commands that the tests call and a minimal machine may lack: `bun
 * scripts/ensure-commands.ts`. With `cluster` it adds those of a node. With `headers` it installs
 * only the kernel's headers, which generated files are compared with. Does nothing if all are
 * there. Go is the user's own choice: it is only looked at, so that one that is too old is named
 * before the first test.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "@svc/testing";
import { machines } from "./generate/system-call-headers.ts";
import { goProblem } from "./go/go-release.ts";

const packages: Readonly<Record<string, string>> = {
  openssl: "openssl",
  setpriv: "util-linux",
  prlimit: "util-linux",
  unshare: "util-linux",
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

/** The kernel's headers with the numbers of system calls: scripts/generate/system-calls. */
const headerPackages: Readonly<Record<string, string>> = Object.fromEntries(
  machines
    .flatMap(({ numberings }) => numberings)
    .map(({ header }) => [join(header.folder, header.header), header.debianPackage]),
);

/** By their paths, for they are in no user's PATH but root's. */
const clusterPackages: Readonly<Record<string, string>> = {
  "/usr/sbin/runc": "runc",
  "/usr/sbin/nft": "nftables",
  "/sbin/ip": "iproute2",
};

const [, , wanted] = process.argv;
const problem = wanted === "headers" ? undefined : goProblem(join(import.meta.dirname, ".."));
if (problem !== undefined) {
  process.stderr.write(`ensure-commands: ${problem}\n`);
  process.exit(1);
}

const missing = [
  ...new Set(
    Object.entries({
      ...(wanted !== "headers" && packages),
      ...headerPackages,
      ...(wanted === "cluster" && clusterPackages),
    })
      .filter(([command]) => !isThere(command))
      .map(([, name]) => name),
  ),
];
if (missing.length > 0) install(missing);

/** A command, or a file by its path. */
function isThere(name: string): boolean {
  return name.startsWith("/") ? existsSync(name) : Bun.which(name) !== null;
}

function install(names: readonly string[]): void {
  const hint = `apt-get install ${names.join(" ")}`;
  if (process.getuid?.() !== 0 || Bun.which("apt-get") === null) {
    process.stderr.write(`ensure-commands: missing: hint: ${hint}\n`);
    process.exit(1);
  }
  try {
    installPackages(names);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`ensure-commands: ${error.message}\n`);
    process.exit(1);
  }
}
