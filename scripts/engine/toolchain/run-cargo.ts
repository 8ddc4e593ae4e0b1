import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheFolder } from "../../../packages/testing/src/tools.ts";
import { ownArchitecture } from "../../build/bundle/architecture.ts";
import type { Say } from "../../build/steps.ts";
import { withLock } from "../../build/with-lock.ts";
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
  /** Gets lines about the progress. */
  readonly say: Say;
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
 */
export const rustFlags = '-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"';

/**
 * Runs cargo on engine/: that of PATH if it is new enough and no pinned one is asked for, else the
 * pinned one, which is fetched once. All checkouts share the compiled crates, one after the other.
 *
 * @param take gets the folder of the compiled files, which are another checkout's afterwards.
 * @throws Error if cargo fails.
 */
export async function cargo<T>(run: CargoRun, take: (results: string) => T): Promise<T> {
  const cache = cacheFolder(process.env);
  const isPinned = run.isPinned === true || !hasCargo();
  const root = isPinned ? await pinnedRoot(cache, run.say) : undefined;
  const results = targetFolder(isPinned);
  mkdirSync(results, { recursive: true });
  const waits = () => run.say("another build uses cargo: waiting for it");
  return withLock(`${results}.lock`, waits, async () => {
    enterTargetFolder(results, engine);
    const command = root === undefined ? ofMachine(run, results) : pinned(run, root, results);
    await compileLoudly(command.command, command.environment, run.say);
    return take(results);
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

function pinned(run: CargoRun, root: string, results: string): Command {
  const home = join(cacheFolder(process.env), "engine-cargo");
  if (!existsSync(home)) mkdirSync(home, { recursive: true });
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

function wordsOf({ words, own = [], target }: CargoRun, folder: string): readonly string[] {
  const [command = "", ...rest] = words;
  const { rustTarget } = ownArchitecture();
  // `fmt` compiles nothing.
  const compiles = command === "fmt" ? [] : ["--locked", "--target", target ?? rustTarget];
  const behind = own.length > 0 ? ["--", ...own] : [];
  return [command, "--manifest-path", `${folder}/Cargo.toml`, ...compiles, ...rest, ...behind];
}

/** The compilers for arm64 on another machine; cc-rs and cargo ask for them by these names. */
const crossCompilers = {
  CC_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc",
  AR_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc-ar",
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: "aarch64-linux-gnu-gcc",
};
