import { readlinkSync } from "node:fs";
import { join } from "node:path";
import {
  type AnnouncedTier,
  type Ledger,
  Registry,
  serveRegistrations,
  type TcpOptions,
} from "@svc/agent";
import {
  openListener,
  type RecordingMarks,
  recordingMarks,
  watchNoTokens,
} from "@svc/agent/testdata";
import { runsAsRoot, temporaryFolder } from "@svc/testing";

/** An agent that takes registrations and writes its marks down. */
export interface RecordingAgent extends AsyncDisposable {
  readonly marks: RecordingMarks;
  readonly registry: Registry;
  /** The program of each process when it was marked. Only root can see it. */
  readonly ranAtMark: ReadonlyMap<number, string>;
  readonly announce: (enforcement: AnnouncedTier["enforcement"]) => void;
  /** Connections for which there was no room. */
  readonly turnedAway: () => number;
  readonly stop: () => Promise<void>;
}

/** A place for an agent, and the variables that lead a wrapper to it. */
export interface AgentPlace {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly remove: () => void;
}

export function agentPlace(): AgentPlace {
  const folder = temporaryFolder();
  const path = join(folder.path, "agent.sock");
  // For wrappers of another user.
  Bun.spawnSync(["chmod", "755", folder.path]);
  return {
    path,
    environment: { SVC_EBPF_AGENT_ADDR: `unix://${path}`, SVC_LOG_FORMAT: "json" },
    remove: () => folder[Symbol.dispose](),
  };
}

export interface RecordingOptions {
  /** Users who may register, beside this one. */
  readonly others?: readonly number[];
  /** Services whose processes may. */
  readonly units?: readonly string[];
  /** Those of an agent before, as pinned ones are. */
  readonly marks?: RecordingMarks;
  readonly ledger?: Ledger;
  /** The first of its numbers. */
  readonly first?: bigint;
}

/** Starts one there. */
export async function startRecordingAgent(
  { path }: Pick<AgentPlace, "path">,
  { others = [], units = [], marks = recordingMarks(), ledger, first = 1n }: RecordingOptions = {},
): Promise<RecordingAgent> {
  const registry = new Registry({ first, ...(ledger && { ledger }) });
  const ranAtMark = new Map<number, string>();
  const listeners = new Set<() => void>();
  let tier: AnnouncedTier = { enforcement: "tracing", capabilities: [] };
  const server = await serveRegistrations({
    sockets: [await openListener(path)],
    rules: { users: [process.getuid?.() ?? 0, ...others], units },
    registry,
    tokens: watchNoTokens("a stage watches none"),
    identity: { version: "0.0.0", bootId: "test" },
    log: () => undefined,
    marks: {
      ...marks,
      protect: (pidfd, registration, environment) => {
        const known = new Set(marks.protections.keys());
        marks.protect(pidfd, registration, environment);
        for (const pid of marks.protections.keys()) {
          if (!known.has(pid)) ranAtMark.set(pid, executableOf(pid));
        }
      },
    },
    tier: {
      current: () => tier,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  return {
    ...{ marks, registry, ranAtMark },
    announce: (enforcement) => {
      tier = { ...tier, enforcement };
      for (const listener of listeners) listener();
    },
    turnedAway: server.turnedAway,
    stop: server.stop,
    [Symbol.asyncDispose]: server.stop,
  };
}

/** Empty for an ordinary user, who cannot read the link of a process that is not dumpable. */
function executableOf(pid: number): string {
  return runsAsRoot() ? readlinkSync(`/proc/${pid}/exe`) : "";
}

/** An agent that takes registrations over TCP and writes its marks down. */
export interface RecordingTcpAgent extends AsyncDisposable {
  readonly marks: RecordingMarks;
  readonly registry: Registry;
  /** As SVC_EBPF_AGENT_ADDR names it. */
  readonly address: string;
}

/** Starts one at any free port. */
export async function startTcpAgent(
  socketPath: string,
  tcp: Pick<TcpOptions, "tls" | "reviewToken">,
): Promise<RecordingTcpAgent> {
  const marks = recordingMarks();
  const registry = new Registry();
  const server = await serveRegistrations({
    ...{
      marks,
      registry,
      sockets: [await openListener(socketPath)],
      rules: { users: [], units: [] },
    },
    tokens: watchNoTokens("a stage watches none"),
    identity: { version: "0.0.0", bootId: "test" },
    log: () => undefined,
    tier: {
      current: () => ({ enforcement: "tracing", capabilities: [] }),
      onChange: () => () => undefined,
    },
    tcp: { host: "127.0.0.1", port: 0, ...tcp },
  });
  const address = `127.0.0.1:${server.tcpPort}`;
  return { marks, registry, address, [Symbol.asyncDispose]: server.stop };
}
