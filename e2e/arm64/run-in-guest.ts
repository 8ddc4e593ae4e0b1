import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "@svc/testing";
import type { CpioEntry } from "../harness/guests/cpio-archive.ts";
import { writeArchive } from "../harness/guests/write-archive.ts";
import { bootGuest } from "./boot-guest.ts";
import { compileSvc, guestPrograms } from "./guest-programs.ts";
import { type GuestCommand, type GuestEnded, guestScript, readConsole } from "./guest-script.ts";
import { guestSystem } from "./guest-system.ts";

const BUNDLE = resolve(import.meta.dir, "../../dist/bundle-arm64");
const [FILE, LINK] = [0o100000, 0o120777];
const SET_USER_ID = 0o4755;

/** The results of the commands that a guest has run. */
export interface GuestRun {
  /** The machine's name from uname(1). */
  readonly machine: string;
  /** In the order of the commands. */
  readonly ended: readonly GuestEnded[];
}

/**
 * Boots a guest with the bundle, `svc` and the programs of the stories, and runs commands in it.
 */
export async function runInGuest(
  commands: readonly GuestCommand[],
  texts: Readonly<Record<string, string>>,
): Promise<GuestRun> {
  using folder = temporaryFolder();
  const svc = join(folder.path, "svc");
  compileSvc(svc);
  const { kernel, files } = guestSystem();
  const programs = guestPrograms();
  const entries = [
    ...Object.entries({ ...files, ...programs, ...bundleFiles(), "app/svc": svc }).map(copied),
    ...Object.entries(texts).map(([path, text]) => written(path, FILE | 0o644, text)),
    { ...copied(["app/set-user-id", programs["app/static"] ?? ""]), mode: FILE | SET_USER_ID },
    written("bin/sh", LINK, "busybox"),
    written("init", FILE | 0o755, guestScript(commands)),
  ];
  const mountPoints = ["dev", "nosuid", "proc", "tmp"];
  const fileSystem = join(folder.path, "initramfs");
  await writeArchive(fileSystem, entries, mountPoints);
  const console = await bootGuest({ kernel, fileSystem });
  const [facts, ...ended] = readConsole(console);
  if (facts === undefined || ended.length !== commands.length) {
    throw new TypeError(`the guest has ended early:\n${console}`);
  }
  return { machine: facts.stdout.toString().trim(), ended };
}

function bundleFiles(): Readonly<Record<string, string>> {
  const files = readdirSync(BUNDLE, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files.flatMap((file) => {
      const path = join(file.parentPath, file.name);
      return file.isFile() ? [[path.slice(BUNDLE.length + 1), path]] : [];
    }),
  );
}

function copied([path, source]: readonly [path: string, source: string]): CpioEntry {
  return { path, mode: statSync(source).mode, content: readFileSync(source) };
}

function written(path: string, mode: number, text: string): CpioEntry {
  return { path, mode, content: new TextEncoder().encode(text) };
}
