import { test } from "bun:test";
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { needsRoot, waitFor } from "@svc/testing";
import { mark, markName } from "../harness/processes/leftovers.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { takeSlot } from "../harness/wrapper/slots.ts";
import { program } from "./programs.ts";

/** The bundle as `bun scripts/bundle.ts` leaves it. */
export const bundleFolder = resolve(import.meta.dir, "../../dist/bundle/opt/svc");
accessSync(join(bundleFolder, "bin/svc-wrapper"), constants.X_OK);

/** The variable by which leftovers are found is a part of every environment here. */
export const markEntry = `${markName}=${mark}`;

/** Declares a test that runs the wrapper in a root: only root may mount one, and change to it. */
export const inRoot = needsRoot(test);

/** A program to run, and the root that it runs in. */
export interface RootLaunch {
  /** The root's path. */
  readonly root: string;
  /** The folder at /opt/svc; the bundle by default. */
  readonly bundle?: string;
  /** The folder at /opt/app, the working directory. */
  readonly app: string;
  /** The wrapper's arguments. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Options of testdata/enters-root.c. */
  readonly options?: readonly string[];
}

/** The exit status and the output. */
export interface RootEnded {
  /** The wrapper's exit status, or 128 + n. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A wrapper that runs in a root; disposing ends it and all that it started. */
export interface RootRun extends AsyncDisposable {
  /** The wrapper's pid as seen from here. */
  readonly pid: () => Promise<number>;
  readonly closeInput: () => void;
  readonly prints: (text: string) => Promise<void>;
  readonly ended: Promise<RootEnded>;
}

const DEADLINE_MS = 15_000;

/** Runs the bundle's wrapper to its end. */
export async function runInRoot(launch: RootLaunch): Promise<RootEnded> {
  await using run = await startInRoot(launch);
  run.closeInput();
  return await run.ended;
}

/** Starts the bundle's wrapper as the first process of new namespaces. */
export async function startInRoot(launch: RootLaunch): Promise<RootRun> {
  const giveBack = await takeSlot();
  const folder = mkdtempSync("/tmp/svc-stage-");
  const child = Bun.spawn([...commandIn(folder, launch)], {
    env: { [markName]: mark },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  const drained = (async () => {
    for await (const chunk of child.stdout) printed += Buffer.from(chunk).toString("latin1");
  })();
  const ended = Promise.all([child.exited, child.stderr.text(), drained])
    .then(([exitCode, stderr]) => ({ exitCode, stderr, stdout: printed }))
    .finally(() => {
      rmSync(folder, { recursive: true });
      giveBack();
    });
  const exited = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: () =>
      waitFor(() => childrenOf(child.pid)[0], { deadlineMs: DEADLINE_MS, what: "the wrapper" }),
    closeInput: () => void child.stdin.end(),
    prints: async (text) => {
      await waitFor(() => printed.includes(text) || exited(), {
        deadlineMs: DEADLINE_MS,
        what: `"${text}" on standard output`,
      });
      if (!printed.includes(text)) throw new TypeError(`it ended: ${(await ended).stderr}`);
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      if (!exited()) child.kill("SIGKILL");
      await ended;
    },
  };
}

function commandIn(folder: string, launch: RootLaunch): readonly string[] {
  const { root, bundle = bundleFolder, app, words, environment, options = [] } = launch;
  const [stage, file] = [join(folder, "stage"), join(folder, "environment")];
  mkdirSync(stage);
  const entries = [markEntry, ...Object.entries(environment).map((entry) => entry.join("="))];
  writeFileSync(file, entries.map((entry) => `${entry}\0`).join(""));
  return [
    ...[program("enters-root"), "-e", file, ...options, stage, root, bundle, app],
    ...["/opt/svc/bin/svc-wrapper", ...words],
  ];
}
