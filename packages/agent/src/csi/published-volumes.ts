import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CSI_DRIVER } from "@svc/protocol";
import { isPublished } from "./volume-files.ts";
import { placeOf } from "./volume-request.ts";

/**
 * The folders of all volumes that this node's pods have of the driver, as the kubelet notes them.
 */
export function publishedVolumes(kubelet: string): readonly string[] {
  return namesIn(join(kubelet, "pods")).flatMap((pod) => volumesOfPod(kubelet, pod));
}

/** The folders of a pod's volumes of the driver, as the kubelet notes them. */
export function volumesOfPod(kubelet: string, podUid: string): readonly string[] {
  const volumes = join(kubelet, "pods", podUid, "volumes/kubernetes.io~csi");
  return namesIn(volumes)
    .filter((name) => driverOf(join(volumes, name)) === CSI_DRIVER)
    .map((name) => join(volumes, name, "mount"))
    .filter((target) => placeOf(target, kubelet) !== undefined && isPublished(target));
}

/** The kubelet's notes beside a volume's folder. */
function driverOf(volume: string): unknown {
  try {
    return Object(JSON.parse(readFileSync(join(volume, "vol_data.json"), "utf8")))["driverName"];
  } catch {
    return undefined;
  }
}

/** Pods come and go. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
