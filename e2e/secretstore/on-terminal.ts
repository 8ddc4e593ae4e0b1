import { withHosts } from "@svc/testing";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

/** A shell's command line on a separate terminal. */
export interface TerminalLine {
  readonly line: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A file that stands for /etc/hosts. */
  readonly hosts: string;
  readonly columns: number;
}

/**
 * Runs a command line with script(1) of util-linux. Behind it the shell prints `<code N>` and the
 * terminal's settings, and it survives Ctrl-C.
 */
export function onTerminal(session: TerminalLine): Promise<RunningWrapper> {
  const { line, environment, hosts, columns } = session;
  // Children of the shell do not ignore a signal that a trap catches.
  const whole = `trap : INT; stty cols ${columns}; ${line}; echo "<code $?>"; stty -a`;
  const words = ["/usr/bin/script", "--quiet", "--return", "--command", whole, "/dev/null"];
  return startWrapper({ instead: withHosts(hosts, words), environment, typing: true });
}
