import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheFolder } from "../../../packages/testing/src/tools.ts";
import { ownArchitecture } from "../../build/bundle/architecture.ts";
import type { Say } from "../../results/steps.ts";
import { withLock } from "../../results/with-lock.ts";
import { compileLoudly } from "./compile-loudly.ts";
import { fetchToolchain } from "./fetch-toolchain.ts";
import { hasCargo } from "./found-cargo.ts";
import { toolchainCommand } from "./run-in-toolchain.ts";
import { enterTargetFolder, targetFolder } from "./target-folder.ts";

/** A command of cargo's on engine/. */
export interface CargoRun {
  /** The command and its words. */
  readonly words: readonly string[];
  /** The words for the program that cargo runs, behind `--`. */
  readonly own?: readonly string[];
  /** Rust's name of the machine to compile for; by default this one. */
  readonly target?: string;
  /** Takes the pinned compilers also if there are others; by default false. */
  readonly isPinned?: boolean;
  /** Compiles our own crates again, and not by the times of their files. */
  readonly fresh?: true;
  /** Gets lines about the progress. */
  readonly say: Say;
  /** Keeps the standard output of cargo for `take`; by default it is shown. */
  readonly capture?: true;
}

/** The results of a run of cargo. */
export interface CargoResults {
  /** The folder of the compiled files, which are another checkout's afterwards. */
  readonly folder: string;
  /** The standard output, if it was kept. */
  readonly output: string;
}

/** A command, and its surroundings. */
interface Command {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const engine = resolve(import.meta.dir, "../../../engine");

/**
 * The executable needs no loader. There the crate getrandom finds no getrandom(2) by its name
 * and opens /dev/urandom: without a free descriptor a look-up of a name ended the process.
 *
 * Relocations are packed to a fiftieth. The C library applies them before `main`: a damaged one ends
 * the process without a word.
 */
export const rustFlags =
  "-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs " +
  '--cfg getrandom_backend="linux_getrandom"';

/**
 * Runs cargo on engine/: that of PATH if it is new enough and no pinned one is asked for, else the
 * pinned one, which is fetched once. All checkouts share the compiled crates, one after the other.
 *
 * @param take gets the results.
 * @throws Error if cargo fails.
 */
export async function cargo<T>(run: CargoRun, take: (results: CargoResults) => T): Promise<T> {
  const cache = cacheFolder(process.env);
  const isPinned = run.isPinned === true || !hasCargo();
  const root = isPinned ? await pinnedRoot(cache, run.say) : undefined;
  const results = targetFolder(isPinned);
  mkdirSync(results, { recursive: true });
  const runAndTake = async (): Promise<T> => {
    const command = root === undefined ? ofMachine(run, results) : pinned(run, root, results);
    const output = await compileLoudly(command.command, command.environment, run);
    // The pinned cargo names its own places.
    return take({
      folder: results,
      output: root === undefined ? output : outside(output, results),
    });
  };
  if (!compiles(run)) return runAndTake();
  const waits = () => run.say("another build uses cargo: waiting for it");
  return withLock(`${results}.lock`, waits, () => {
    enterTargetFolder(results, engine, run.fresh === true);
    return runAndTake();
  });
}

/** One checkout fetches the compilers, and others wait for it. */
async function pinnedRoot(cache: string, say: Say): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const waits = () => say("another build fetches the compilers: waiting for it");
  return withLock(join(cache, "engine-toolchain.lock"), waits, () => fetchToolchain(cache, say));
}

function ofMachine(run: CargoRun, results: string): Command {
  return {
    command: ["cargo", ...wordsOf(run, engine)],
    environment: { CARGO_TARGET_DIR: results, RUSTFLAGS: rustFlags },
  };
}

/** Paths of crates as this machine has them. */
function outside(output: string, results: string): string {
  return output
    .replaceAll('"/cargo/', `"${cargoHome()}/`)
    .replaceAll('"/src/', `"${engine}/`)
    .replaceAll('"/target/', `"${results}/`);
}

function cargoHome(): string {
  return join(cacheFolder(process.env), "engine-cargo");
}

function pinned(run: CargoRun, root: string, results: string): Command {
  const home = cargoHome();
  mkdirSync(home, { recursive: true });
  const mounts = { [engine]: "/src", [results]: "/target", [home]: "/cargo" };
  const command = ["/usr/bin/cargo", ...wordsOf(run, "/src")];
  const environment = {
    ...{ CARGO_TARGET_DIR: "/target", RUSTFLAGS: rustFlags, ...crossCompilers, ...proxies() },
    ...{ CARGO_HOME: "/cargo", CARGO_HTTP_CAINFO: "/etc/ssl/certs/ca-certificates.crt" },
  };
  const isRoot = process.getuid?.() === 0;
  return {
    command: toolchainCommand({ root, command, mounts, environment }, isRoot),
    environment: {},
  };
}

/** The ways to the network that this machine names. */
function proxies(): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((x) => [x, x.toLowerCase()]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The commands that compile nothing, and their words for a platform. */
const others: Readonly<Record<string, (platform: string) => readonly string[]>> = {
  fmt: () => [],
  metadata: (platform) => ["--locked", "--filter-platform", platform],
};

function compiles({ words: [command = ""] }: CargoRun): boolean {
  return others[command] === undefined;
}

function wordsOf({ words, own = [], target }: CargoRun, folder: string): readonly string[] {
  const [command = "", ...rest] = words;
  const platform = target ?? ownArchitecture().rustTarget;
  const about = others[command]?.(platform) ?? ["--locked", "--target", platform];
  const behind = own.length > 0 ? ["--", ...own] : [];
  return [command, "--manifest-path", `${folder}/Cargo.toml`, ...about, ...rest, ...behind];
}

/** The compilers for arm64 on another machine; cc-rs and cargo ask for them by these names. */
const crossCompilers = {
  CC_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc",
  AR_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc-ar",
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: "aarch64-linux-gnu-gcc",
};
