import { chmodSync, lstatSync, mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import process from "node:process";
import { closeDescriptor } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { identifyCaller } from "../registration/caller.ts";
import { readProcess } from "../registration/process-facts.ts";
import { descriptorOf } from "../registration/socket-descriptor.ts";
import { cgroupIdentity } from "../report/cgroup-identity.ts";
import {
  type BreakGlassAnswer,
  type BreakGlassRequest,
  MOST_REQUEST,
  onlyRoot,
  parseBreakGlassRequest,
} from "./break-glass-request.ts";
import type { BreakGlassCaller } from "./leave-trace.ts";

/** The inputs of the server. */
export interface BreakGlassOptions {
  /** In a folder that only root may write to. */
  readonly path: string;
  /** Reports the request first, and then fulfils it; returns the result. */
  readonly obey: (request: BreakGlassRequest, who: BreakGlassCaller) => Promise<string>;
  readonly log: Log;
}

const ROOT_ONLY = 0o600;
const DEADLINE_MS = 5000;

/**
 * Takes requests of root at a unix socket, one line of JSON for each connection.
 *
 * @returns the function that ends it
 * @throws Error if the socket is not available
 */
export async function serveBreakGlass(options: BreakGlassOptions): Promise<() => void> {
  const { path } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) unlinkSync(path);
  const server = createServer((socket) => void answer(socket, options));
  server.maxConnections = 4;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(path, resolve);
  await promise;
  chmodSync(path, ROOT_ONLY);
  return () => server.close();
}

async function answer(socket: Socket, { obey, log }: BreakGlassOptions): Promise<void> {
  socket.on("error", () => undefined);
  socket.setTimeout(DEADLINE_MS, () => socket.destroy());
  const say = (found: BreakGlassAnswer): void => {
    socket.end(`${JSON.stringify(found)}\n`);
  };
  try {
    const who = callerOf(socket);
    const request = parseBreakGlassRequest(await firstLine(socket));
    if (who === undefined) return say({ ok: false, message: onlyRoot });
    if (request === undefined) return say({ ok: false, message: "it is not a request" });
    say({ ok: true, done: await obey(request, who) });
  } catch (error) {
    const message = error instanceof Error ? error.message : "failed";
    log("warn", "break-glass failed", { message });
    say({ ok: false, message });
  }
}

/**
 * By the kernel's word; undefined for callers other than root of the machine, or of this pod: root
 * of another pod is uid 0, too.
 */
function callerOf(socket: Socket): BreakGlassCaller | undefined {
  const { pidfd, uid, podUid, process: caller } = identifyCaller(descriptorOf(socket));
  closeDescriptor(pidfd);
  const isStranger = podUid !== undefined && podUid !== ownPod();
  if (uid !== 0 || isStranger) return undefined;
  const { pid } = caller;
  const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  return { pid, uid, name };
}

function ownPod(): string | undefined {
  return cgroupIdentity(readProcess(process.pid)?.cgroup ?? "").podUid;
}

function firstLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
    if (text.length > MOST_REQUEST) reject(new RangeError("the request is too long"));
    else if (text.includes("\n")) resolve(Buffer.from(text, "latin1").toString("utf8"));
  });
  socket.on("close", () => reject(new TypeError("the connection has ended")));
  return promise;
}
