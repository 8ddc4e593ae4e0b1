import { flagSections } from "@svc/settings";
import { agentVariables } from "./agent-variables.ts";

const introduction = `usage: svc-agent [FLAGS]

The kernel agent. It sees every attempt on a process that a wrapper has registered, and
reports it. Run one on every node, in the namespaces of the machine, as root or with the
capabilities BPF, PERFMON and SYS_PTRACE.

  PLATFORM_ENDPOINT=grpcs://collector.example:4317 svc-agent

Events are JSON lines on standard output. The agent's own log is on standard error. Every
flag has a variable. Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone.

With ENFORCE_MODE the agent stops attempts and guards itself. Root can suspend that:
svc-agent break-glass --help`;

/** The text of `svc-agent --help`. */
export function agentHelp(): string {
  return `${introduction}\n\n${flagSections(agentVariables)}\n`;
}
