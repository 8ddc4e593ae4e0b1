import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { refuseProblems } from "./refuse-problems.ts";
import type { CommandOutput } from "./write-output.ts";

/** The request of the words after a command. */
export type CommandLine<Settings> =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Handles requests other than the command itself, such as help; gives the exit status. */
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
