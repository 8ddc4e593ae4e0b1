import type { ImageConfig } from "../image/image-config.ts";
import { escapedForExpansion, expandedWithoutReferences } from "../pod/expansion.ts";
import type { Container, EnvEntry } from "../pod/pod.ts";
import { type FoundLauncher, type Launcher, launcherOf } from "./launchers.ts";
import { WRAPPER } from "./paths.ts";

/** The facts about an image. */
export type ImageAnswer =
  | { readonly kind: "found"; readonly config: ImageConfig }
  /**
   * `reason` as it reads after a colon; `isPassing` if the next attempt may succeed, with the same
   * pod.
   */
  | { readonly kind: "unreadable"; readonly reason: string; readonly isPassing?: boolean };

/** How a container starts the wrapper, and how that learns what to start. */
export interface WrappedProgram {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvEntry[];
  readonly source: "pod" | "image" | "image and pod";
  /** The known launcher that starts the wrapper. */
  readonly launcher?: Launcher;
}

/** The program of a container, or why it cannot be known. */
export type FoundProgram =
  | { readonly ok: true; readonly program: WrappedProgram }
  | { readonly ok: false; readonly found: string; readonly hint: string };

/** True if the pod has no command for the container: the image's registry has to be asked. */
export function needsImage({ command }: Container): boolean {
  return (command ?? []).length === 0;
}

/**
 * Finds the container's command, as Kubernetes does: `command` alone leaves the image's CMD out,
 * `args` alone stand behind its ENTRYPOINT.
 */
export function findProgram(container: Container, image: ImageAnswer | undefined): FoundProgram {
  const args = fromPod(container.args ?? []);
  if (!needsImage(container)) return wrapped(fromPod(container.command ?? []), args, "pod");
  if (image?.kind !== "found") return unreadable(container, image?.reason ?? "it was not asked");
  const { entrypoint, command, os = "linux" } = image.config;
  if (os !== "linux") return unreadable(container, `it is of ${os}`);
  return args.length > 0
    ? wrapped(fromImage(entrypoint), args, "image and pod")
    : wrapped(fromImage(entrypoint), fromImage(command), "image");
}

const hint = "set the command of the container in the pod";

function unreadable({ image }: Container, reason: string): FoundProgram {
  const found = `the container has no command, and the command of image ${image} is not known: ${reason}`;
  return { ok: false, found, hint };
}

interface Word {
  readonly text: string;
  /** True if Kubernetes expands `$(NAME)` and `$$` in it. It leaves an image's words alone. */
  readonly expands: boolean;
}

function fromPod(texts: readonly string[]): readonly Word[] {
  return texts.map((text) => ({ text, expands: true }));
}

function fromImage(texts: readonly string[]): readonly Word[] {
  return texts.map((text) => ({ text, expands: false }));
}

/**
 * Kubernetes expands env values like args, but as one text: a value with a quote in it would break
 * the JSON, or add words to it. So texts without a reference are expanded here. Words with one stay
 * the container's args, in which each is expanded for itself. In the wrapper, words after `--` take
 * precedence over the variables. Scripts that are too long for a variable as JSON are treated in
 * the same way: the variable names the program alone.
 */
function wrapped(
  command: readonly Word[],
  args: readonly Word[],
  source: WrappedProgram["source"],
): FoundProgram {
  // An image without ENTRYPOINT starts the first word of its CMD.
  const [first, rest] = command.length > 0 ? [command, args] : [args.slice(0, 1), args.slice(1)];
  if (first.length === 0) {
    return {
      ok: false,
      found: "the container starts nothing: its image has neither ENTRYPOINT nor CMD",
      hint,
    };
  }
  if (first[0]?.text === "") {
    const found = "its command begins with an empty word, which no program has as its name";
    return {
      ok: false,
      found,
      hint: "leave the command out for the image's own, or name a program",
    };
  }
  const words = [...first, ...rest];
  const launched = launcherOf(words.map(({ text }) => text));
  if (launched !== undefined) return { ok: true, program: inside(words, launched, source) };
  const env = [
    variableOf("SVC_ORIGINAL_CMD", first),
    ...(rest.length > 0 ? [variableOf("SVC_ORIGINAL_ARGS", rest)] : []),
  ];
  const fits = env.every(isShortEnough);
  const program =
    fits && words.every((word) => finalText(word) !== undefined)
      ? { command: [WRAPPER], args: [], env, source }
      : {
          command: [WRAPPER, "--"],
          args: words.map(asArgument),
          env: fits ? env : [variableOf("SVC_ORIGINAL_CMD", first.slice(0, 1))],
          source,
        };
  return { ok: true, program };
}

/**
 * Inside of a launcher: docs/decisions/0106. The containers that wait for the launcher then learn
 * that the wrapper ended. The words after the wrapper's `--` take precedence over the variable.
 */
function inside(
  words: readonly Word[],
  { launcher, at }: FoundLauncher,
  source: WrappedProgram["source"],
): WrappedProgram {
  const [ahead, program, behind] = [
    words.slice(0, at),
    words.slice(at, at + 1),
    words.slice(at + 1),
  ];
  // catatonit takes the first -- away, also one behind the program's name.
  const separator = launcher.isOption === true || ahead.at(-1)?.text === "--" ? [] : ["--"];
  const dashes = launcher.isOption === true ? behind.findIndex(({ text }) => text === "--") : 0;
  // Behind an option the launcher takes the first -- for itself, and passes on the words after it.
  const options = dashes < 0 ? behind : behind.slice(0, dashes);
  const rest = launcher.isOption === true ? behind.slice(options.length + 1) : behind;
  return {
    // The admission policy looks for the wrapper in the command alone.
    command: [...ahead.map(asArgument), ...separator, WRAPPER],
    args: [
      ...(launcher.isOption === true ? [...options.map(asArgument), "--"] : []),
      "--",
      ...[...program, ...rest].map(asArgument),
    ],
    env: [variableOf("SVC_ORIGINAL_CMD", program)],
    source,
    launcher,
  };
}

/** Linux takes no variable from 128 KiB on, its name included (MAX_ARG_STRLEN, execve(2)). */
function isShortEnough({ name, value }: EnvEntry): boolean {
  return Buffer.byteLength(`${name}=${value}`) < LONGEST_VARIABLE;
}

const LONGEST_VARIABLE = 128 * 1024;

function finalText({ text, expands }: Word): string | undefined {
  return expands ? expandedWithoutReferences(text) : text;
}

function asArgument({ text, expands }: Word): string {
  return expands ? text : escapedForExpansion(text);
}

function variableOf(name: string, words: readonly Word[]): EnvEntry {
  const texts = words.map((word) => finalText(word) ?? word.text);
  return { name, value: escapedForExpansion(JSON.stringify(texts)) };
}
