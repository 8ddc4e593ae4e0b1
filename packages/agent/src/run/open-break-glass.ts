import type { Log } from "@svc/logging";
import { AgentError } from "../agent-error.ts";
import { BreakGlassWatch, endOf } from "../break-glass/break-glass-watch.ts";
import { leaveTrace } from "../break-glass/leave-trace.ts";
import { obeyRequest } from "../break-glass/obey-request.ts";
import { serveBreakGlass } from "../break-glass/serve-break-glass.ts";
import { PIN_FOLDER } from "../monitor/kernel-pins.ts";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { Reporter } from "./reporter.ts";

/** The parts that break-glass opens. */
export interface BreakGlassParts {
  readonly settings: Pick<AgentSettings, "adminSocketPath">;
  readonly monitor: Monitor | Blindness;
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
}

/**
 * Lets root open the guards, if there are some. It is reported before it is done: the event is
 * in the spool by then.
 *
 * @returns the function that ends it
 * @throws AgentError `SOCKET_UNUSABLE`
 */
export async function openBreakGlass({
  settings: { adminSocketPath: path },
  monitor,
  reporter,
  log,
}: BreakGlassParts): Promise<() => void> {
  if (isBlind(monitor) || monitor.capabilities.enforcement === "none") return () => undefined;
  const { state } = monitor;
  const watch = new BreakGlassWatch({
    state,
    tell: (kind, facts) => {
      reporter.reportOwn(kind, facts);
      log("warn", kind === "agent_break_glass" ? "the guards are open" : "the guards hold", facts);
    },
  });
  watch.begin();
  try {
    const stop = await serveBreakGlass({
      path,
      log,
      obey: async (request, who) => {
        const { ask: asked, ...facts } = request;
        const end = request.ask === "open" ? endOf(request.seconds * 1000) : {};
        reporter.reportOwn("agent_break_glass", { asked, ...facts, ...end, actor: who });
        leaveTrace(asked, request.reason, who);
        log("warn", "break-glass was requested", { asked, ...facts, ...who });
        const done = obeyRequest(request, state, PIN_FOLDER);
        if (request.ask === "open") watch.opened({ reason: request.reason, actor: who });
        if (request.ask === "close") watch.closed();
        return done;
      },
    });
    return () => {
      watch.stop();
      stop();
    };
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    throw new AgentError("SOCKET_UNUSABLE", `listen at ADMIN_SOCKET_PATH: ${found}`, error);
  }
}
