import type { Log } from "@svc/logging";
import { version } from "@svc/protocol";
import { driverPlaces } from "../csi/driver.ts";
import { serveDriver } from "../csi/serve-driver.ts";
import { PodTokens } from "../login/pod-tokens.ts";
import { serveLogins } from "../login/serve-logins.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { Reporter } from "./reporter.ts";

/** The inputs of openDriver. */
export interface DriverParts {
  readonly settings: Pick<AgentSettings, "csiKubeletFolder" | "csiTokenAudience">;
  readonly node: string;
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
}

/**
 * Serves the CSI driver if CSI_KUBELET_FOLDER is set, and logins if CSI_TOKEN_AUDIENCE is.
 *
 * @returns ends both.
 * @throws AgentError `CSI_UNUSABLE`, `SOCKET_UNUSABLE`
 */
export async function openDriver(parts: DriverParts): Promise<() => Promise<void>> {
  const { settings, node, reporter, log } = parts;
  const { csiKubeletFolder: kubelet, csiTokenAudience: audience } = settings;
  if (kubelet === undefined) return async () => undefined;
  if (audience === undefined) return serveDriver({ kubelet, node, version, log });
  const tokens = new PodTokens();
  const stopLogins = await serveLogins({
    ...{ path: driverPlaces(kubelet).loginSocket, kubelet, tokens, log },
    onRefused: ({ reason, pid, uid, ...pod }) =>
      reporter.reportOwn("agent_refused_login", { reason, actor: { pid, uid, ...pod } }),
  });
  const keeper = {
    audience,
    keep: tokens.keep.bind(tokens),
    forget: tokens.forget.bind(tokens),
  };
  const stopDriver = await serveDriver({ kubelet, node, version, log, tokens: keeper });
  return async () => {
    await stopDriver();
    stopLogins();
  };
}
