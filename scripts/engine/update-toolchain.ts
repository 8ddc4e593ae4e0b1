/**
 * Writes the list of Debian packages that the wrapper is built with, as the archive has them now:
 * `bun scripts/engine/update-toolchain.ts`. Run it when a package is no longer in the archive, and
 * for security updates of the compilers and of the C library.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/testing/src/tools.ts";
import { runTool } from "../build/bundle/run-tool.ts";
import { archiveAddress } from "./toolchain/archive-address.ts";
import { packagesIn, packagesPath } from "./toolchain/pinned-packages.ts";

/** The stable release whose `rustc-web` browsers are built with: it stays new enough. */
const SUITE = "trixie";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
/** With all that they need. */
const wanted = [
  ...["cargo-web", "gcc", "gcc-aarch64-linux-gnu", "libc6-dev", "libc6-dev-arm64-cross"],
  // env(1).
  "coreutils",
];
/** Without its dependencies: it is only compiled against. */
const alone = "libstd-rust-web-dev:arm64";

using folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
for (const name of ["lists/partial", "archives/partial"]) mkdirSync(at(name), { recursive: true });
writeFileSync(at("sources.list"), `deb [signed-by=${KEYRING}] ${archiveAddress()} ${SUITE} main\n`);
const options = {
  "Dir::State": folder.path,
  "Dir::Cache": folder.path,
  "Dir::State::status": "/dev/null",
  "Dir::Etc::sourcelist": at("sources.list"),
  "Dir::Etc::sourceparts": "-",
  "APT::Architecture": "amd64",
  "APT::Sandbox::User": "root",
  "APT::Install-Recommends": "false",
  "Acquire::ForceHash": "SHA256",
};
const words = [
  ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
  ...["-o", "APT::Architectures::=amd64", "-o", "APT::Architectures::=arm64"],
];
const apt = (...more: readonly string[]) => runTool(["apt-get", "-qq", ...words, ...more]);
apt("update");
const uris = [
  apt("install", "--print-uris", "--yes", ...wanted),
  apt("download", "--print-uris", alone),
];
const packages = packagesIn(uris.map((text) => text.trim()).join("\n"));
writeFileSync(packagesPath, `${JSON.stringify({ suite: SUITE, packages }, undefined, 2)}\n`);
const megabytes = packages.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
process.stdout.write(`wrote ${packages.length} packages, ${megabytes.toFixed(0)} MB\n`);
