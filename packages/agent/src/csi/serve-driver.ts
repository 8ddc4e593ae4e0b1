import { chmodSync, mkdirSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { dirname } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { removeTree } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { CSI_DRIVER } from "@svc/protocol";
import { AgentError } from "../agent-error.ts";
import { driverPlaces } from "./driver.ts";
import { kubeletRoutes, type TokenKeeper } from "./kubelet-routes.ts";
import { adoptNodeCopy } from "./node-copy.ts";
import { publishedVolumes } from "./published-volumes.ts";
import { linkSockets, publishVolume, removeVolume } from "./volume-files.ts";
import type { VolumePlace } from "./volume-request.ts";

export interface DriverOptions {
  /** The kubelet's folder. */
  readonly kubelet: string;
  readonly node: string;
  readonly version: string;
  readonly log: Log;
  /** The logins of wrappers with their pods' tokens; the agent listens at the login socket then. */
  readonly tokens?: TokenKeeper;
}

const ROOT_ONLY = 0o700;
const SOCKET_MODE = 0o600;

/**
 * Makes the folder of the socket at which wrappers in volumes register: nothing else may be linked
 * from there.
 */
export function prepareDriver(kubelet: string): string {
  const { folder, wrapperSocket } = driverPlaces(kubelet);
  return orUnusable(folder, () => {
    mkdirSync(dirname(wrapperSocket), { recursive: true });
    for (const own of [folder, dirname(wrapperSocket)]) chmodSync(own, ROOT_ONLY);
    return wrapperSocket;
  });
}

/** Gives the volumes of an earlier agent the socket at which this one listens. */
export function linkVolumes(kubelet: string, log: Log): void {
  const { wrapperSocket } = driverPlaces(kubelet);
  for (const target of publishedVolumes(kubelet)) relink(target, [wrapperSocket], log);
}

/**
 * Serves the kubelet as a CSI driver of inline volumes, each of which has the node's copy of the
 * wrapper and the socket at which wrappers register. Volumes of an earlier agent get the new
 * socket.
 *
 * @returns ends it; volumes stay.
 * @throws AgentError `CSI_UNUSABLE`
 */
export async function serveDriver(options: DriverOptions): Promise<() => Promise<void>> {
  const { kubelet, log, tokens } = options;
  const places = driverPlaces(kubelet);
  const copy = orUnusable(places.folder, () => adoptNodeCopy(places));
  if (copy === undefined) {
    log("warn", "there is no wrapper for volumes yet", {
      folder: places.incoming,
      hint: "the init container of the agent's pod copies it there",
    });
  }
  const volumes = publishedVolumes(kubelet);
  const wrapperSockets = [places.wrapperSocket, ...(tokens ? [places.loginSocket] : [])];
  for (const target of volumes) relink(target, wrapperSockets, log);
  const keeper = {
    publish: ({ target }: VolumePlace) => {
      if (copy === undefined) throw new ConnectError("no wrapper yet", Code.FailedPrecondition);
      publishVolume(target, { copy, sockets: wrapperSockets });
    },
    remove: removeVolume,
  };
  const routes = kubeletRoutes({ ...options, places, keeper, tokens });
  const sockets = [places.socket, places.registrationSocket];
  const servers: Http2Server[] = [];
  try {
    // The kubelet asks at the first one as soon as it finds the second.
    for (const socket of sockets) servers.push(await listening(socket, routes));
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  log("info", "volumes are published", { driver: CSI_DRIVER, copy, volumes: volumes.length });
  return async () => {
    // Without it the kubelet waits for the next agent.
    for (const socket of sockets.toReversed()) removeTree(socket);
    for (const server of servers) server.close();
  };
}

function relink(target: string, sockets: readonly string[], log: Log): void {
  try {
    linkSockets(target, sockets);
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    log("warn", "a volume keeps sockets of an earlier agent", { target, found });
  }
}

async function listening(
  path: string,
  routes: ReturnType<typeof kubeletRoutes>,
): Promise<Http2Server> {
  const server = createServer(routes);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  try {
    removeTree(path);
    server.listen(path, resolve);
    await promise;
    chmodSync(path, SOCKET_MODE);
    return server;
  } catch (error) {
    server.close();
    throw unusable(path, error);
  }
}

function orUnusable<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): AgentError {
  const found = error instanceof Error ? error.message : "failed";
  return new AgentError(
    "CSI_UNUSABLE",
    `publish volumes at ${JSON.stringify(path)}: ${found}`,
    error,
  );
}
