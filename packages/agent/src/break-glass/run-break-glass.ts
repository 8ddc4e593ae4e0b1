import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { BpfMap, closeDescriptor } from "@svc/kernel";
import { agentState } from "../monitor/agent-state.ts";
import { adoptPins, PIN_FOLDER } from "../monitor/kernel-pins.ts";
import { type BreakGlassAnswer, type BreakGlassRequest, onlyRoot } from "./break-glass-request.ts";
import { leaveTrace } from "./leave-trace.ts";
import { obeyRequest } from "./obey-request.ts";

/** An agent that works ends a silent connection after 5 s. */
const ANSWER_MS = 15_000;

/**
 * Asks the agent. If no agent runs, this process becomes the agent for that moment. The kernel side
 * lets root do so, and reports it.
 *
 * @throws AgentError `AGENT_RUNNING` if one runs that does not answer
 */
export async function breakGlass(
  request: BreakGlassRequest,
  socketPath: string,
): Promise<BreakGlassAnswer> {
  return (await askAgent(request, socketPath)) ?? breakAlone(request);
}

/** undefined if no agent listens. */
function askAgent(request: BreakGlassRequest, path: string): Promise<BreakGlassAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<BreakGlassAnswer | undefined>();
  const fail = (found: string) =>
    resolve({ ok: false, message: `ask the agent at ${path}: ${found}` });
  const socket = connect(path);
  let text = "";
  socket.setTimeout(ANSWER_MS, () => {
    fail(`no answer within ${ANSWER_MS / 1000} s`);
    socket.destroy();
  });
  socket.on("connect", () => socket.write(`${JSON.stringify(request)}\n`));
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.on("error", ({ code = "it failed" }: NodeJS.ErrnoException) => {
    if (code === "ENOENT" || code === "ECONNREFUSED") resolve(undefined);
    else fail(code === "EACCES" ? `${code}: ${onlyRoot}` : code);
  });
  socket.on("close", () => {
    const answer = parseAnswer(text);
    if (answer) resolve(answer);
    else fail("it ended the connection without an answer");
  });
  return promise;
}

/** Our own agent's words, which may be cut off. */
function parseAnswer(text: string): BreakGlassAnswer | undefined {
  return text.endsWith("\n") ? (JSON.parse(text) as BreakGlassAnswer) : undefined;
}

function breakAlone(request: BreakGlassRequest): BreakGlassAnswer {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { ok: false, message: onlyRoot };
  if (!adoptPins(PIN_FOLDER)) {
    return { ok: false, message: `no agent runs, and nothing is pinned in ${PIN_FOLDER}` };
  }
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
