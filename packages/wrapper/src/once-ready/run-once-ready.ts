import { environmentEntries, exitProcess, setCloseOnExec, writeIfPossible } from "@svc/kernel";
import { quoted } from "@svc/settings";
import { runtime } from "../engine/runtime.ts";
import { askReady } from "./ask-ready.ts";
import { becomeCommand } from "./become-command.ts";
import { isHandedOver } from "./handed-over.ts";
import { readQuestion } from "./read-question.ts";
import { questionText, type ReadyQuestion } from "./ready-question.ts";

/** Less than a probe has, which the operator gives five seconds more. */
const DEADLINE_MS = 2000;

/** The commands of probes, and the page that each asks for. */
const pages = { "--once-ready": "/readyz", "--once-serving": "/readyz/program" } as const;

/** A command of a probe. */
export type OnceCommand = keyof typeof pages;

/**
 * `svc-wrapper --once-ready [-- COMMAND ARGUMENT…]`, the command of a probe: exits with 0, or
 * becomes the command, once the wrapper of this container says that its program runs. It fails
 * until then. It reads no token, starts no process and keeps nothing. `--once-serving` fails while
 * the program is about to be replaced, too, and does not care how fresh its values are.
 *
 * @param words those after `--once-ready`.
 */
export async function runOnceReady(
  once: OnceCommand,
  words: readonly Uint8Array[],
): Promise<never> {
  const fail = (message: string, exitCode = 1) => failed(once, message, exitCode);
  try {
    const [dashes, ...command] = words;
    if (words.length > 0 && (textOf(dashes) !== "--" || command.length === 0)) {
      return fail("must be the last word, or be followed by -- and a command");
    }
    const environment = environmentEntries();
    const inherited = runtime.openDescriptors();
    const question = readQuestion(environment);
    if (!question.ok) return fail(question.message);
    const notReady = isHandedOver(environment)
      ? undefined
      : await reasonToWait(question.value, pages[once]);
    if (notReady !== undefined) return fail(notReady);
    if (words.length === 0) return exitProcess(0);
    for (const fd of inherited) setCloseOnExec(fd, false);
    const { why, exitCode } = becomeCommand(command, environment);
    return fail(`start ${quoted(textOf(command[0]))}: ${why}`, exitCode);
  } catch (error) {
    // Its text might quote its input.
    return fail(`unexpected ${error instanceof Error ? error.name : typeof error}`);
  }
}

/** Undefined if the program runs. */
async function reasonToWait(question: ReadyQuestion, page: string): Promise<string | undefined> {
  const asked = await askReady(question, page, DEADLINE_MS);
  if (asked.kind === "none") return `${questionText(question, page)}: ${asked.why}`;
  if (asked.status === 200) return undefined;
  return `${questionText(question, page)}: ${[asked.status, asked.reason].filter(Boolean).join(": ")}`;
}

/** A byte order mark is a part of its word, which else could become `--`. */
function textOf(word: Uint8Array | undefined): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(word);
}

function failed(once: OnceCommand, message: string, exitCode: number): never {
  writeIfPossible(2, new TextEncoder().encode(`svc-wrapper: ${once}: ${message}\n`));
  exitProcess(exitCode);
}
