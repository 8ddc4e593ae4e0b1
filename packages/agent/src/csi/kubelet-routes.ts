import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Identity, Node, Registration } from "@svc/agent-protocol/csi";
import type { Log } from "@svc/logging";
import { CSI_DRIVER } from "@svc/protocol";
import { boundedHandler, type GrpcHandler } from "../grpc/bounded-handler.ts";
import type { DriverPlaces } from "./driver.ts";
import { judgeVolume, placeOf } from "./volume-request.ts";

/** The driver's operations for the kubelet. */
export interface VolumeKeeper {
  /** @throws Error where it cannot; the kubelet asks again. */
  readonly publish: (target: string) => void;
  readonly remove: (target: string) => void;
}

export interface KubeletWorld {
  readonly places: DriverPlaces;
  readonly node: string;
  readonly version: string;
  readonly log: Log;
  readonly keeper: VolumeKeeper;
}

/** A request names a volume, its pod, and a token for each audience at most. */
const MOST_MESSAGE_BYTES = 256 * 1024;
/** Of the Container Storage Interface. */
const VERSIONS = ["1.0.0"];

/** Answers the kubelet, which asks for volumes, and who is there. */
export function kubeletRoutes({ places, node, version, log, keeper }: KubeletWorld): GrpcHandler {
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
          const finding = judgeVolume(request, places.kubelet);
          if (!finding.ok) throw refused(finding.problems.join("; "));
          const { podUid, volume, target } = finding;
          attempt("publish", { podUid, volume }, () => keeper.publish(target));
          return {};
        },
        nodeUnpublishVolume: ({ targetPath }) => {
          const place = placeOf(targetPath, places.kubelet);
          if (place === undefined) throw refused(`target_path ${JSON.stringify(targetPath)}`);
          const { podUid, volume } = place;
          attempt("remove", { podUid, volume }, () => keeper.remove(targetPath));
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
  const attempt = (what: string, facts: object, act: () => void): void => {
    try {
      act();
      log("info", `${what} a volume`, { ...facts });
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      const found = error instanceof Error ? error.message : "failed";
      log("error", `${what} a volume`, { ...facts, found });
      throw new ConnectError(`${what} the volume: ${found}`, Code.Internal);
    }
  };
  return boundedHandler(routes);
}

function refused(problem: string): ConnectError {
  return new ConnectError(problem, Code.InvalidArgument);
}
