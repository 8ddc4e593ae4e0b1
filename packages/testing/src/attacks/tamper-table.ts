import type { Attack } from "./attack-table.ts";

/** An attempt to switch the agent off. */
export interface Tamper extends Attack {
  /** If it succeeds the agent ends, which takes a while on a busy machine. */
  readonly ends?: true;
}

const tampers: readonly Tamper[] = [
  { name: "agent-limit", does: "sets its limit of descriptors to the present value" },
  { name: "agent-memory", does: "opens its memory to write" },
  { name: "agent-descriptor", does: "takes a copy of a descriptor of it" },
  { name: "agent-trace", does: "traces it" },
  { name: "marks-by-pin", does: "changes the marks of processes, by the pinned map" },
  { name: "marks-by-id", does: "changes the marks of processes, by the id of the map" },
  {
    name: "openings-by-id",
    does: "changes the file that another process is about to open, by the id of that map",
  },
  { name: "links-by-id", does: "detaches its programs, by the ids of their links" },
  { name: "pin-move", does: "renames a pin" },
  { name: "pin-remove", does: "removes a pin" },
  { name: "pins-remove-folder", does: "removes the folder of the pins" },
  { name: "pins-move-folder", does: "renames it" },
  { name: "pins-cover", does: "mounts another file system over the pins" },
  { name: "bpffs-cover", does: "mounts another one over theirs" },
  { name: "bpffs-move", does: "moves the file system of the pins to another place" },
  { name: "bpffs-unmount", does: "unmounts it" },
  { name: "bpffs-unmount-lazily", does: "unmounts it when no process uses it any more" },
  { name: "agent-dump", does: "sends SIGQUIT", ends: true },
  { name: "agent-stop", does: "sends SIGSTOP" },
  { name: "agent-end", does: "sends SIGTERM", ends: true },
  { name: "agent-kill", does: "sends SIGKILL", ends: true },
];

/**
 * Ways to switch off an agent that enforces, whose pid they are given; those that do the least harm
 * if they succeed come first. For machines that only these tests use.
 */
export function listTampers(): readonly Tamper[] {
  return tampers;
}
