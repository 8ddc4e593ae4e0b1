import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Identity, Node, Registration } from "@svc/agent-protocol/csi";
import type { Log } from "@svc/logging";
import { CSI_DRIVER } from "@svc/protocol";
import { boundedHandler, type GrpcHandler } from "../grpc/bounded-handler.ts";
import type { DriverPlaces } from "./driver.ts";
import {
  judgeVolume,
  type PodToken,
  placeOf,
  tokenOf,
  type VolumePlace,
  type WantedVolume,
} from "./volume-request.ts";

/** The driver's operations for the kubelet. */
export interface VolumeKeeper {
  /** @throws Error if it cannot; the kubelet asks again. */
  readonly publish: (volume: VolumePlace) => void;
  readonly remove: (target: string) => void;
}

/** Keeps tokens of pods. */
export interface TokenKeeper {
  /** The audience of tokens that the kubelet hands over. */
  readonly audience: string;
  readonly keep: (volume: VolumePlace, token: PodToken) => void;
  readonly forget: (target: string) => void;
}

export interface KubeletContext {
  readonly places: DriverPlaces;
  readonly node: string;
  readonly version: string;
  readonly log: Log;
  readonly keeper: VolumeKeeper;
  /** Undefined if the agent gives no tokens. */
  readonly tokens: TokenKeeper | undefined;
}

/** A request names a volume, its pod, and a token for each audience at most. */
const MOST_MESSAGE_BYTES = 256 * 1024;
/** Versions of the Container Storage Interface. */
const VERSIONS = ["1.0.0"];

/** Answers the kubelet, which asks for volumes and for the driver's name. */
export function kubeletRoutes(context: KubeletContext): GrpcHandler {
  const { places, node, version, log } = context;
  const volumes = volumesOf(context);
  const routes = connectNodeAdapter({
    ...{ grpc: true, grpcWeb: false, connect: false, readMaxBytes: MOST_MESSAGE_BYTES },
    routes: (router) => {
      router.service(Identity, {
        getPluginInfo: () => ({ name: CSI_DRIVER, vendorVersion: version }),
        getPluginCapabilities: () => ({}),
        probe: () => ({}),
      });
      router.service(Node, {
        nodeGetInfo: () => ({ nodeId: node }),
        nodeGetCapabilities: () => ({}),
        nodePublishVolume: (request) => {
          volumes.publish(request);
          return {};
        },
        nodeUnpublishVolume: ({ targetPath }) => {
          volumes.remove(targetPath);
          return {};
        },
      });
      router.service(Registration, {
        getInfo: () => ({
          ...{ type: "CSIPlugin", name: CSI_DRIVER, endpoint: places.socket },
          supportedVersions: VERSIONS,
        }),
        notifyRegistrationStatus: ({ pluginRegistered, error }) => {
          if (pluginRegistered) log("info", "the kubelet asks this agent for volumes", {});
          else log("error", "the kubelet does not take this agent's driver", { found: error });
          return {};
        },
      });
    },
  });
  return boundedHandler(routes);
}

/** Carries out requests for volumes; throws ConnectError. */
function volumesOf({ places, log, keeper, tokens }: KubeletContext) {
  const published = new Set<string>();
  return {
    publish: (request: WantedVolume): void => {
      const place = judgeVolume(request, places.kubelet);
      if (!place.ok) throw refused(place.problems.join("; "));
      const token = tokens && tokenOf(request, tokens.audience);
      if (token === "malformed") throw refused("service account tokens: wanted the kubelet's JSON");
      const { podUid, volume, target } = place;
      // If tokens are given, the kubelet asks again and again.
      const isNews = !published.has(target);
      attempt(log, { action: "publish", podUid, volume, isNews }, () => keeper.publish(place));
      published.add(target);
      if (token === "none" && isNews) log("warn", noToken, { podUid, volume, hint });
      if (token !== undefined && token !== "none") tokens?.keep(place, token);
    },
    remove: (target: string): void => {
      const place = placeOf(target, places.kubelet);
      if (place === undefined) throw refused(`target_path ${JSON.stringify(target)}`);
      published.delete(target);
      tokens?.forget(target);
      const { podUid, volume } = place;
      attempt(log, { action: "remove", podUid, volume, isNews: true }, () => keeper.remove(target));
    },
  };
}

interface Attempted {
  readonly action: "publish" | "remove";
  readonly podUid: string;
  readonly volume: string;
  /** False if it was done before. */
  readonly isNews: boolean;
}

function attempt(log: Log, { action, isNews, ...facts }: Attempted, act: () => void): void {
  try {
    act();
    if (isNews) log("info", `${action} a volume`, facts);
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    const found = error instanceof Error ? error.message : "failed";
    log("error", `${action} a volume`, { ...facts, found });
    throw new ConnectError(`${action} the volume: ${found}`, Code.Internal);
  }
}

const noToken = "the kubelet gives no token for CSI_TOKEN_AUDIENCE with a volume";
const hint = "`tokenRequests` of the CSIDriver has to name the audience";

function refused(problem: string): ConnectError {
  return new ConnectError(problem, Code.InvalidArgument);
}
