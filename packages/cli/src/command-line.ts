import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { refuseProblems } from "./refuse-problems.ts";
import type { CommandOutput } from "./write-output.ts";

/** What the words behind a command ask for. */
export type CommandLine<Settings> =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Answers what is not the command itself, its help and so on; gives the exit status. */
export function answerWithoutSettings(
  asked: Exclude<CommandLine<unknown>, { readonly kind: "settings" }>,
  help: () => string,
  { out, err }: CommandOutput,
): number {
  switch (asked.kind) {
    case "help":
      out(help());
      return 0;
    case "version":
      out(`svc ${version}\n`);
      return 0;
    case "problems":
      return refuseProblems(asked.problems, err);
  }
}
