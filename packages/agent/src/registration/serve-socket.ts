import { chmodSync, lstatSync, mkdirSync, type Stats, statSync, unlinkSync } from "node:fs";
import { createServer } from "node:http2";
import { dirname } from "node:path";
import { Code } from "@connectrpc/connect";
import { listenAt, SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { Admission } from "./admission.ts";
import type { RegistrationRules } from "./authority.ts";
import { Connections } from "./connections.ts";
import { isAnswered } from "./is-answered.ts";
import type { SessionWorld } from "./session.ts";
import { type CallerFinding, sessionRoutes } from "./session-routes.ts";
import { SocketGate } from "./socket-gate.ts";

/** A server of registrations. */
export interface RegistrationDoor {
  /** How many connections were turned away for want of room. */
  readonly turnedAway: () => number;
  readonly stop: () => Promise<void>;
}

/** Where registrations are taken at a unix socket, and whose. */
export interface SocketOptions {
  readonly path: string;
  readonly rules: RegistrationRules;
}

// Pods of any user connect; the kernel says who calls.
const SOCKET_MODE = 0o666;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** The kernel's own limit is net.core.somaxconn. */
const MOST_WAITING = 4096;
/** A wrapper says Hello at once. */
const SILENCE_MS = 5_000;

/**
 * Takes registrations at a unix socket; one that an earlier agent has left is replaced.
 *
 * @throws AgentError `SOCKET_UNUSABLE`
 */
export async function serveSocket(
  world: SessionWorld,
  { path, rules }: SocketOptions,
): Promise<RegistrationDoor> {
  checkFolder(dirname(path));
  await removeStale(path);
  const admission = new Admission();
  const server = createServer({ settings: { maxConcurrentStreams: 4 } });
  const connections = new Connections(
    server,
    (session) => gate.admittedAs(session.socket),
    SILENCE_MS,
  );
  const find = (request: Parameters<typeof connections.callerOf>[0]): CallerFinding => {
    const opener = connections.callerOf(request);
    if (opener !== undefined) return { kind: "caller", ...opener };
    return { kind: "refused", code: Code.ResourceExhausted, message: "one stream per connection" };
  };
  server.on("request", sessionRoutes(world, find));
  const listener = listening(path);
  const { ino } = lstatSync(path);
  const gate = new SocketGate({
    ...{ listener, admission, rules, log: world.log },
    onCome: (socket) => void server.emit("connection", socket),
  });
  return {
    turnedAway: () => admission.refused,
    stop: async () => {
      gate.close();
      connections.end();
      // A later agent's socket may be there by now.
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path);
    },
  };
}

/**
 * A user who may write to the folder could put another socket there, and receive all registrations.
 */
function checkFolder(folder: string): void {
  const { mode, uid } = statOrRefuse(folder);
  const own = uid === 0 || uid === process.getuid?.();
  const open = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  if (own && !open) return;
  throw unusable(`folder ${JSON.stringify(folder)}: others may write to it`);
}

function statOrRefuse(folder: string): Stats {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    return statSync(folder);
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    throw unusable(`folder ${JSON.stringify(folder)}: ${found}`, error);
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unusable(`${JSON.stringify(path)}: it is there, and no socket`);
  if (await isAnswered(path))
    throw unusable(`${JSON.stringify(path)}: another agent listens there`);
  unlinkSync(path);
}

function listening(path: string): number {
  try {
    const listener = listenAt(path, MOST_WAITING);
    chmodSync(path, SOCKET_MODE);
    return listener;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw unusable(`${JSON.stringify(path)}: ${error.message}`, error);
  }
}

function unusable(found: string, cause?: unknown): AgentError {
  return new AgentError("SOCKET_UNUSABLE", `take registrations at ${found}`, cause);
}
