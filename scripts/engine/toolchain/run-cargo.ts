import { mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { cacheFolder } from "../../../packages/testing/src/tools.ts";
import { run } from "../run.ts";
import { fetchToolchain } from "./fetch-toolchain.ts";
import { hasCargo } from "./found-cargo.ts";
import { toolchainCommand } from "./run-in-toolchain.ts";

/** A command of cargo's on engine/. */
export interface CargoRun {
  /** The command and its words. */
  readonly words: readonly string[];
  /** The words for the program that cargo runs, behind `--`. */
  readonly own?: readonly string[];
  /** The modules that the wrapper holds. */
  readonly pack?: string;
  /** Rust's name of the machine to compile for. */
  readonly target: string;
  /** Takes the pinned compilers also where there are others. */
  readonly isPinned: boolean;
  readonly targetFolder: string;
}

const engine = resolve(import.meta.dir, "../../../engine");

/**
 * The executable needs no loader. There the crate getrandom finds no getrandom(2) by its name
 * and opens /dev/urandom: without a free descriptor a look-up of a name ended the process.
 */
const rustFlags = '-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"';

/**
 * Runs cargo: that of PATH where it is new enough and no pinned one is asked for, else the pinned
 * one, which is fetched once.
 *
 * @returns the folder of the compiled files.
 * @throws Error if it fails.
 */
export async function runCargo(cargo: CargoRun): Promise<string> {
  const { targetFolder, isPinned } = cargo;
  if (isPinned || !hasCargo()) return runPinned(cargo);
  const places = { engine, target: targetFolder, pack: cargo.pack };
  run(["cargo", ...wordsOf(cargo, places.engine)], environmentOf(places));
  return targetFolder;
}

async function runPinned(cargo: CargoRun): Promise<string> {
  const cache = cacheFolder(process.env);
  const root = await fetchToolchain(cache, (line) => process.stdout.write(`engine: ${line}\n`));
  // A folder of its own: another compiler's files would be compiled again at each change.
  const target = join(cargo.targetFolder, "pinned");
  const home = join(cache, "engine-cargo");
  for (const folder of [target, home]) mkdirSync(folder, { recursive: true });
  const { pack } = cargo;
  const packPlace = pack === undefined ? {} : { [resolve(dirname(pack))]: "/pack" };
  const mounts = { [engine]: "/src", [target]: "/target", [home]: "/cargo", ...packPlace };
  const inRoot = {
    ...{ engine: "/src", target: "/target" },
    pack: pack === undefined ? undefined : `/pack/${basename(pack)}`,
  };
  const command = ["/usr/bin/cargo", ...wordsOf(cargo, inRoot.engine)];
  const environment = {
    ...{ ...environmentOf(inRoot), ...crossCompilers, ...proxies() },
    ...{ CARGO_HOME: "/cargo", CARGO_HTTP_CAINFO: "/etc/ssl/certs/ca-certificates.crt" },
  };
  run(toolchainCommand({ root, command, mounts, environment }, process.getuid?.() === 0));
  return target;
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

/** Where cargo finds things. */
interface Places {
  readonly engine: string;
  readonly target: string;
  readonly pack: string | undefined;
}

function wordsOf({ words, own = [], target }: CargoRun, folder: string): readonly string[] {
  const [command = "", ...rest] = words;
  // It compiles nothing.
  const compiles = command === "fmt" ? [] : ["--locked", "--quiet", "--target", target];
  const behind = own.length > 0 ? ["--", ...own] : [];
  return [command, "--manifest-path", `${folder}/Cargo.toml`, ...compiles, ...rest, ...behind];
}

function environmentOf({ target, pack }: Places): Record<string, string> {
  return {
    ...{ CARGO_TARGET_DIR: target, RUSTFLAGS: rustFlags },
    ...(pack !== undefined && { SVC_ENGINE_PACK: pack }),
  };
}

/** The compilers for arm64 on another machine; cc-rs and cargo ask for them by these names. */
const crossCompilers = {
  CC_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc",
  AR_aarch64_unknown_linux_gnu: "aarch64-linux-gnu-gcc-ar",
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: "aarch64-linux-gnu-gcc",
};
