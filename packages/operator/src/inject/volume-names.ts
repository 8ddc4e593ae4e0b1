import type { Pod } from "../pod/pod.ts";
import type { VolumePart } from "./attachment.ts";
import { freeName } from "./free-name.ts";
import type { Marker } from "./marker.ts";

/**
 * Gives each part its volume's name: that of the marker, else `svc-PART`, with a number if the
 * pod has such a volume.
 */
export function volumeNames({ spec }: Pod, { volumes }: Marker): (part: VolumePart) => string {
  const taken = (spec.volumes ?? []).map(({ name }) => name);
  return (part) => volumes[part] ?? freeName(`svc-${part}`, taken);
}
