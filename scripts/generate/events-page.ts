import { monitorPrograms } from "../../packages/agent/src/index.ts";
import {
  type EventDescription,
  eventCatalogue,
  ownEventCatalogue,
} from "../../packages/agent/src/reference.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/events.md`, from the table of kinds and that of programs. */
export const eventsPage: GeneratedFile = {
  path: "docs/reference/events.md",
  render: () => `${[generatedNotice, introduction, fields, kinds(), own(), otlp].join("\n\n")}\n`,
};

const introduction = `# Audit events of the kernel agent

One event is one line of JSON on standard output of \`svc-agent\`, and one log record at PLATFORM_ENDPOINT. It
never contains the content of an argument: no given path, no memory, no value.`;

const fields = `## Fields of every event

| Field | Meaning |
| --- | --- |
| \`time\` | time of the attempt, RFC 3339, UTC |
| \`id\` | the same for every delivery of this event, so that you can recognise duplicates |
| \`kind\` | see below |
| \`decision\` | \`observed\`: the agent saw the attempt and did not stop it |
| \`mechanism\` | the kernel interface that reported it: \`lsm\`, \`fmod_ret\`, \`tracing\` |
| \`systemCall\` | \`number\`, and \`abi\`: \`native\`, \`compat\` (32 bits), \`x32\`; absent if a hook does not know it |
| \`node\`, \`bootId\` | NODE_NAME, and the machine's boot |
| \`ring\`, \`sequence\` | its place in the kernel's queue. A missing number means a lost event |
| \`droppedBefore\` | number of events lost since the last event of that ring |
| \`count\` | number of attempts that the event stands for. The agent reports twenty attempts of one process a second, and a hundred of all processes that run the same file in the same cgroup. Once a second it sums up the rest, with the first as the actor |
| \`actor\` | the process that made the attempt: \`pid\`, \`tid\`, \`parentPid\`, \`uid\`, \`startNs\` (since boot; with the pid it identifies one process for ever), \`name\`. The process chooses its \`name\`, so the name proves nothing. \`executable\` has \`path\`, \`name\`, \`inode\`, \`device\`. \`cgroup\` has \`id\`, \`path\`, \`podUid\`, \`containerId\`; and by the kubelet's logs \`namespace\`, \`podName\`, \`container\`. \`ancestors\` are its nearest eight parents, the nearest first, each with \`pid\`, \`name\`, \`executable\`. All are of the machine's own namespaces. \`path\`s are absent if the process had ended before the agent looked. The kernel takes the actor's \`executable.name\` at the attempt |
| \`target\` | the process that it aimed at, as the actor; \`uid\` only while it lives. \`registration\` has \`id\`, \`podUid\`, \`containerId\`, \`delivery\` (the delivery method), \`keyCount\`, and the wrapper's own statements: \`podName\`, \`namespace\`, \`container\` |

Numbers of 64 bits are strings.`;

function kinds(): string {
  const rows = Object.entries(eventCatalogue).map(([kind, description]) => [
    code(kind),
    meaningOf(description),
    seenBy(kind),
    description.techniques.join(", "),
  ]);
  return `## Kinds

\`GET /status\`, the agent's log and its first event list the kinds that your kernel covers. Kinds without a target
concern the node, and need GLOBAL_PRIVESC_DETECT.

${markdownTable(["Kind", "Meaning", "Reported by", "MITRE ATT&CK"], rows)}`;
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
  return `## Events of the agent itself

${markdownTable(["Kind", "Meaning"], rows)}`;
}

const otlp = `## As an OTLP log record

The body is the event as a map. The event's name is \`svc.agent.<kind>\`. The severity is \`WARN\`, and \`INFO\` for the
agent's own events. Every event is delivered at least once.

- The attributes of the semantic conventions describe the actor: \`process.*\`, \`thread.name\` (which a process
  chooses itself), \`container.id\`, \`k8s.pod.uid\`, \`k8s.pod.name\`,
  \`k8s.namespace.name\`, \`k8s.container.name\`. \`process.executable.name\` is the kernel's, also of a process that has
  ended.
- The target has the same names after \`svc.target.\`: \`svc.target.process.pid\`, \`svc.target.process.user.id\`,
  \`svc.target.process.executable.path\`, \`svc.target.container.id\`, \`svc.target.k8s.pod.uid\`,
  \`svc.target.k8s.pod.name\`, \`svc.target.k8s.namespace.name\`, \`svc.target.k8s.container.name\`.
- svc's own attributes are \`svc.event.id\`, \`svc.event.kind\`, \`svc.event.decision\`, \`svc.event.mechanism\`.
- The resource has \`service.name\`, \`service.version\`, \`service.instance.id\` (a new one at each start), \`host.id\`
  (machine-id(5)), \`k8s.node.name\`, and the attributes of OTEL_RESOURCE_ATTRIBUTES, for example
  \`k8s.cluster.name\`. The chart adds \`k8s.cluster.uid\`, the UID of the namespace kube-system.`;
