import { SyscallError } from "@svc/kernel";
import type { AuditEvent, EventMechanism } from "../events/audit-event.ts";
import { kinds } from "../events/event-layout.ts";
import { explained } from "./blindness.ts";
import type { MonitorProgram } from "./monitor-programs.ts";
import type { HookState } from "./probe-hooks.ts";
import type { Stops } from "./stop-rows.ts";

/** The kinds of attempts that this kernel can report, and by which mechanism. */
export interface Capabilities extends Stops {
  /** The mechanism that sees attempts; `none` if the kernel lets no program in. */
  readonly tier: EventMechanism | "none";
  /** Why the better ones are not used. */
  readonly mechanisms: Readonly<Record<EventMechanism, MechanismState>>;
  /** The kinds of events that are seen, each with a program that reports it. */
  readonly kinds: Readonly<Partial<Record<AuditEvent["kind"], string>>>;
  /** The other kinds: on this kernel nothing reports them. */
  readonly unseen: readonly AuditEvent["kind"][];
  /** Programs that stop attempts stay in the kernel after the agent's end. */
  readonly isPinned: boolean;
  /** Programs that the kernel refused though others of their mechanism work. */
  readonly refused: readonly { readonly program: string; readonly reason: string }[];
}

/** One way of seeing. */
export interface MechanismState {
  readonly state: "used" | "unused" | "silent" | "refused";
  readonly reason?: string;
}

/** Which mechanism is used: the one that is a part of the kernel's decision, if it is called. */
export function chooseTier({ lsm, fmodRet, override }: ProbedHooks): EventMechanism {
  if (lsm.kind === "fires") return "lsm";
  if (fmodRet.kind === "fires") return "fmod_ret";
  return override?.kind === "fires" ? "override" : "tracing";
}

interface ProbedHooks {
  readonly lsm: HookState;
  readonly fmodRet: HookState;
  readonly override?: HookState;
}

/** The state of a mechanism that is not used. */
export function unusedState(state: HookState): MechanismState {
  switch (state.kind) {
    case "fires":
      return { state: "unused", reason: "a better one is there" };
    case "silent":
      return {
        state: "silent",
        reason:
          "its programs load, and are never called or not heeded: bpf in lsm= has those of lsm called, debug.kprobes-optimization=0 those of override heeded",
      };
    case "refused":
      return { state: "refused", reason: refusalReason(state) };
  }
}

/** Why the kernel did not take a program, in one line. */
export function refusalReason({
  error,
  log,
}: {
  readonly error: Error;
  readonly log: string;
}): string {
  const words = log.split("\n").filter((line) => line !== "" && !line.startsWith("processed"));
  const last = words.at(-1)?.slice(0, 200);
  // The verifier's own words are better than a meaning of its error.
  if (last !== undefined) return `${error.message}: ${last}`;
  return error instanceof SyscallError ? `${error.message}${explained(error.code)}` : error.message;
}

/**
 * The program that reports each kind of event, and the kinds that none reports.
 *
 * @param watchesTargets false if the kernel has no way from a pid to its process
 */
export function kindsOf(
  attached: readonly MonitorProgram[],
  watchesTargets = true,
): Pick<Capabilities, "kinds" | "unseen"> {
  const found: Partial<Record<AuditEvent["kind"], string>> = {};
  for (const { name, kinds: own, targetKinds = [] } of attached) {
    const reported = own.filter((kind) => watchesTargets || !targetKinds.includes(kind));
    for (const kind of reported) found[kind] ??= name;
  }
  return { kinds: found, unseen: kinds.filter((kind) => found[kind] === undefined) };
}
