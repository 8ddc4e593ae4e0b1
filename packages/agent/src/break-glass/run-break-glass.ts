import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { BpfMap, closeDescriptor } from "@svc/kernel";
import { agentState } from "../monitor/agent-state.ts";
import { adoptPins, PIN_FOLDER } from "../monitor/kernel-pins.ts";
import type { BreakGlassAnswer, BreakGlassRequest } from "./break-glass-request.ts";
import { leaveTrace } from "./leave-trace.ts";
import { obeyRequest } from "./obey-request.ts";

/**
 * Asks the agent. If no agent runs, this process becomes the agent for that moment. The kernel side
 * lets root do so, and reports it.
 *
 * @throws AgentError `AGENT_RUNNING` where one runs that does not answer
 */
export async function breakGlass(
  request: BreakGlassRequest,
  socketPath: string,
): Promise<BreakGlassAnswer> {
  return (await askAgent(request, socketPath)) ?? breakAlone(request);
}

/** undefined if no agent listens. */
function askAgent(request: BreakGlassRequest, path: string): Promise<BreakGlassAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<BreakGlassAnswer | undefined>();
  const socket = connect(path);
  let text = "";
  socket.on("connect", () => socket.write(`${JSON.stringify(request)}\n`));
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
    else reject(error);
  });
  socket.on("close", () => {
    // Our own agent's words.
    if (text === "") reject(new TypeError(`ask the agent at ${path}: it does not answer`));
    else resolve(JSON.parse(text) as BreakGlassAnswer);
  });
  return promise;
}

function breakAlone(request: BreakGlassRequest): BreakGlassAnswer {
  if (!adoptPins(PIN_FOLDER)) {
    return { ok: false, message: `no agent runs, and nothing is pinned in ${PIN_FOLDER}` };
  }
  const uid = process.getuid?.() ?? 0;
  const name = readFileSync("/proc/self/comm", "utf8").trim();
  leaveTrace(request.ask, request.reason, { pid: process.pid, uid, name });
  const map = BpfMap.pinned(join(PIN_FOLDER, "agent"));
  try {
    return {
      ok: true,
      done: `${obeyRequest(request, agentState(map), PIN_FOLDER)}; no agent runs`,
    };
  } finally {
    closeDescriptor(map.fd);
  }
}
