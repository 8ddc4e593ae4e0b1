import { basename } from "node:path";
import type { Container, Pod } from "../pod/pod.ts";

/** A program that prepares, starts and watches the container's real program. */
export interface Launcher {
  /** The index of the first word of the real program; undefined if the words name none. */
  readonly programAt: (words: readonly string[]) => number | undefined;
  /** True if it waits for other containers first, for as long as they take. */
  readonly waits?: boolean;
  /** True if it writes results into the termination message, which others then parse. */
  readonly ownsTerminationMessage?: boolean;
  /** True if the program is the value of an option, with its arguments behind a later `--`. */
  readonly isOption?: boolean;
}

const tekton: Launcher = {
  programAt: tektonProgram,
  waits: true,
  ownsTerminationMessage: true,
  isOption: true,
};

/**
 * The launchers by the name of their program, with the place of the real program in their words:
 *
 * - argoexec: Argo Workflows, docs/workflow-executors.md (emissary). `wait` of the same pod waits
 *   for its exit code.
 * - entrypoint: Tekton, cmd/entrypoint/README.md. The next step waits for its post file.
 * - tini(1), dumb-init(1) and catatonit(1) by their usage texts.
 */
const launchers: Readonly<Record<string, Launcher>> = {
  argoexec: {
    programAt: (words) => (words[1] === "emissary" ? afterDashes(words) : undefined),
    waits: true,
  },
  entrypoint: tekton,
  tini: { programAt: behindOptions(/^-[^-pe]*[pe]$/) },
  "tini-static": { programAt: behindOptions(/^-[^-pe]*[pe]$/) },
  "docker-init": { programAt: behindOptions(/^-[^-pe]*[pe]$/) },
  "dumb-init": { programAt: behindOptions(/^(?:-[^-r]*r|--rewrite)$/) },
  catatonit: { programAt: behindOptions(/^$/) },
};

/** A launcher, and the place of the real program among the words. */
export interface FoundLauncher {
  readonly launcher: Launcher;
  readonly at: number;
}

/** The known launcher that the words start. Undefined for other programs, and without a program. */
export function launcherOf(words: readonly string[]): FoundLauncher | undefined {
  const name = basename(words[0] ?? "");
  const launcher = Object.hasOwn(launchers, name) ? launchers[name] : undefined;
  const at = launcher?.programAt(words);
  if (launcher === undefined || at === undefined || at >= words.length) return undefined;
  return { launcher, at };
}

const TEKTON_INIT = ["prepare", "place-scripts", "working-dir-initializer"];

/** The system that a container belongs to that only serves it; undefined for all others. */
export function servantOf(container: Container, { spec }: Pod): string | undefined {
  const [program = "", verb] = wordsOf(container);
  const name = basename(program);
  if (name === "argoexec" && verb !== "emissary") return "Argo Workflows";
  if (name === "sidecarlogresults") return "Tekton";
  const isTekton = () =>
    spec.containers.some((one) => launcherOf(wordsOf(one))?.launcher === tekton);
  return TEKTON_INIT.includes(container.name) && isTekton() ? "Tekton" : undefined;
}

function wordsOf({ command, args }: Container): readonly string[] {
  return [...(command ?? []), ...(args ?? [])];
}

function afterDashes(words: readonly string[]): number | undefined {
  const dashes = words.indexOf("--");
  return dashes < 0 ? undefined : dashes + 1;
}

/** Images have programs called `entrypoint` that are not Tekton's: those have no such options. */
function tektonProgram(words: readonly string[]): number | undefined {
  const dashes = words.indexOf("--");
  const options = dashes < 0 ? words : words.slice(0, dashes);
  const at = options.findIndex((word) => word === "-entrypoint" || word === "--entrypoint");
  return at > 0 && options.includes("-termination_path") ? at + 1 : undefined;
}

/** @param valued an option whose value is the next word. */
function behindOptions(valued: RegExp): Launcher["programAt"] {
  return (words) => {
    let at = 1;
    for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
      if (word === "--") return at + 1;
      at += valued.test(word) ? 2 : 1;
    }
    return at;
  };
}
