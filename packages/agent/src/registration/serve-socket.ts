import { chmodSync, lstatSync, mkdirSync, type Stats, statSync, unlinkSync } from "node:fs";
import { createServer, type ServerHttp2Session } from "node:http2";
import { connect } from "node:net";
import { dirname } from "node:path";
import { Code } from "@connectrpc/connect";
import { closeDescriptor, duplicateFrom } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { Admission } from "./admission.ts";
import { groupOf, identifyCaller } from "./caller.ts";
import { type Admitted, Connections } from "./connections.ts";
import type { SessionWorld } from "./session.ts";
import { type CallerFinding, sessionRoutes } from "./session-routes.ts";
import { descriptorOf } from "./socket-descriptor.ts";

/** A server of registrations. */
export interface RegistrationDoor {
  /** How many connections were turned away for want of room. */
  readonly turnedAway: () => number;
  readonly stop: () => Promise<void>;
}

// Everybody may connect: the kernel says who it is.
const FIRST_FD = 3;
const SOCKET_MODE = 0o666;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Takes registrations at a unix socket; one that an earlier agent has left is replaced.
 *
 * @throws AgentError `SOCKET_UNUSABLE`
 */
export async function serveSocket(world: SessionWorld, path: string): Promise<RegistrationDoor> {
  checkFolder(dirname(path));
  await removeStale(path);
  const admission = new Admission();
  const server = createServer({ settings: { maxConcurrentStreams: 4 } });
  const connections = new Connections(server, (session) => admit(session, admission, world));
  const find = (request: Parameters<typeof connections.callerOf>[0]): CallerFinding => {
    const open = connections.callerOf(request);
    if (open !== undefined) return { kind: "caller", open };
    return { kind: "refused", code: Code.ResourceExhausted, message: "one stream per connection" };
  };
  server.on("request", sessionRoutes(world, find));
  await listening(server, path);
  chmodSync(path, SOCKET_MODE);
  return {
    turnedAway: () => admission.refused,
    stop: () => {
      connections.end();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function admit(
  session: ServerHttp2Session,
  admission: Admission,
  { log }: SessionWorld,
): Admitted | undefined {
  try {
    const caller = identifyCaller(descriptorOf(session.socket));
    const leave = admission.enter(groupOf(caller));
    if (leave === undefined) {
      closeDescriptor(caller.pidfd);
      return undefined;
    }
    return {
      open: () => ({ ...caller, pidfd: duplicateFrom(caller.pidfd, FIRST_FD) }),
      leave: () => {
        leave();
        closeDescriptor(caller.pidfd);
      },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : "identify the caller: failed";
    log("warn", message, {
      code: error instanceof AgentError ? error.code : "REGISTRATION_FAILED",
    });
    return undefined;
  }
}

/** Whoever may write to the folder may put a socket of his own there, and take everybody's registrations. */
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
  if (await answers(path)) throw unusable(`${JSON.stringify(path)}: another agent listens there`);
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function listening(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error) =>
    reject(unusable(`${JSON.stringify(path)}: ${error.message}`, error)),
  );
  server.listen(path, resolve);
  return promise;
}

function unusable(found: string, cause?: unknown): AgentError {
  return new AgentError("SOCKET_UNUSABLE", `take registrations at ${found}`, cause);
}
