import type { Log } from "@svc/logging";
import { linkVolumes, prepareDriver } from "../csi/serve-driver.ts";
import { openListener, type SocketListener } from "../registration/open-listener.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";

/** The sockets of wrappers. */
export interface OpenSockets {
  readonly listeners: readonly SocketListener[];
  /** For an agent that cannot begin; the server of registrations closes them otherwise. */
  readonly close: () => void;
}

/**
 * Listens for wrappers: at the socket that pods see by its folder, and at one that volumes have
 * links to. The agent opens them before it loads its programs. A wrapper connects meanwhile, and
 * the kernel keeps the connection until the agent accepts it. So a wrapper that lost an earlier
 * agent is registered as soon as this one is ready.
 *
 * @throws AgentError `SOCKET_UNUSABLE`, `CSI_UNUSABLE`
 */
export async function openSockets(
  { socketPath, csiKubeletFolder: kubelet }: AgentSettings,
  log: Log,
): Promise<OpenSockets> {
  const listeners: SocketListener[] = [];
  const close = (): void => {
    for (const listener of listeners) listener.close();
  };
  try {
    listeners.push(await openListener(socketPath));
    if (kubelet === undefined) return { listeners, close };
    listeners.push(await openListener(prepareDriver(kubelet)));
    linkVolumes(kubelet, log);
    return { listeners, close };
  } catch (error) {
    close();
    throw error;
  }
}
