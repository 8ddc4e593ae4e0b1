import {
  type EventDescription,
  eventCatalogue,
  ownEventCatalogue,
} from "../../packages/agent/src/events/event-catalogue.ts";
import { monitorPrograms } from "../../packages/agent/src/monitor/monitor-programs.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/events.md`, from the table of kinds and that of programs. */
export const eventsPage: GeneratedFile = {
  path: "docs/reference/events.md",
  render: () => `${[generatedNotice, introduction, fields, kinds(), own(), otlp].join("\n\n")}\n`,
};

const introduction = `# Audit events of the kernel agent

One event is one line of JSON on standard output of \`svc-agent\`, and one log record at PLATFORM_ENDPOINT. No argument's content is
ever in it: no path that was given, no memory, no value.`;

const fields = `## What every event has

| Field | What it is |
| --- | --- |
| \`time\` | when it happened, RFC 3339, UTC |
| \`id\` | the same for every delivery of this event: what was sent twice can be told by it |
| \`kind\` | see below |
| \`decision\` | \`observed\`: it was seen and not hindered |
| \`mechanism\` | what saw it: \`lsm\`, \`fmod_ret\`, \`tracing\` |
| \`systemCall\` | \`number\`, and \`abi\`: \`native\`, \`compat\` (32 bits), \`x32\`; absent where a hook does not know |
| \`node\`, \`bootId\` | NODE_NAME, and the machine's boot |
| \`ring\`, \`sequence\` | its place in the kernel's queue; numbers that never come were lost |
| \`droppedBefore\` | how many were lost since the last event of that ring |
| \`count\` | how many attempts it stands for: a process that repeats itself is told of twenty times, all processes that run the same file in the same cgroup a hundred times, and the rest is summed up once a second, with the first of it as the actor |
| \`actor\` | who: \`pid\`, \`tid\`, \`parentPid\`, \`uid\`, \`startNs\` (since boot: with the pid it names one process for ever), \`name\` (as it calls itself, which proves nothing), \`executable\` (\`path\`, \`inode\`, \`device\`), \`cgroup\` (\`id\`, \`path\`, \`podUid\`, \`containerId\`), \`ancestors\` (its parents, the nearest first, eight at most: \`pid\`, \`name\`, \`executable\`); all of the machine's own namespaces. \`path\`s are there where the process still lived when it was looked for |
| \`target\` | whom: as the actor, and \`registration\`: \`id\`, \`podUid\`, \`containerId\`, \`delivery\` (how it has its values), \`keyCount\`, and what the wrapper says of itself: \`podName\`, \`namespace\`, \`container\` |

Numbers of 64 bits are texts.`;

function kinds(): string {
  const rows = Object.entries(eventCatalogue).map(([kind, description]) => [
    code(kind),
    meaningOf(description),
    seenBy(kind),
    description.techniques.join(", "),
  ]);
  return `## Kinds

Which of them a kernel shows is in \`GET /status\`, in the agent's log and in its first event. Those without a target are about the node, and
are seen with GLOBAL_PRIVESC_DETECT.

${markdownTable(["Kind", "What happened", "Seen by", "MITRE ATT&CK"], rows)}`;
}

function meaningOf({ meaning, fields: own = {} }: EventDescription): string {
  const texts = Object.entries(own).map(([field, text]) => `${code(field)}: ${text}.`);
  return [meaning, ...texts].join(" ");
}

function seenBy(kind: string): string {
  const programs = monitorPrograms.filter((program) =>
    program.kinds.some((candidate) => candidate === kind),
  );
  const hooks = [...new Set(programs.filter(isHook).map(({ hook }) => hook))].map(code);
  const traced = programs.some((program) => !isHook(program));
  return [...hooks, ...(traced ? ["tracing"] : [])].join(", ");
}

function isHook({ mechanism }: { readonly mechanism: string }): boolean {
  return mechanism !== "tracing";
}

function own(): string {
  const rows = Object.entries(ownEventCatalogue).map(([kind, { meaning }]) => [
    code(kind),
    meaning,
  ]);
  return `## Of the agent itself

${markdownTable(["Kind", "What happened"], rows)}`;
}

const otlp = `## As an OTLP log record

The body is the event as a map. The event's name is \`svc.agent.<kind>\`, the severity \`WARN\`, of the agent's own events \`INFO\`. Attributes
by the semantic conventions are the actor's: \`process.*\`, \`thread.name\` (which a process chooses itself), \`container.id\`,
\`k8s.pod.uid\`. The target has the same names behind \`svc.target.\`: \`svc.target.process.pid\`, \`svc.target.process.executable.path\`, \`svc.target.container.id\`,
\`svc.target.k8s.pod.uid\`, \`svc.target.k8s.pod.name\`, \`svc.target.k8s.namespace.name\`, \`svc.target.k8s.container.name\`. Ours are
\`svc.event.id\`, \`svc.event.kind\`, \`svc.event.decision\`, \`svc.event.mechanism\`. The resource has \`service.name\`,
\`service.version\`, \`service.instance.id\` (a new one at each start), \`host.id\` (machine-id(5)), \`k8s.node.name\`, and what
OTEL_RESOURCE_ATTRIBUTES says: \`k8s.cluster.name\`, for one. Every event is delivered at least once.`;
