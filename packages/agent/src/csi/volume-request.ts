import { CSI_DRIVER } from "@svc/protocol";

/** The pod of a volume, and its path. */
export interface VolumePlace {
  readonly podUid: string;
  /** The volume's name in the pod. */
  readonly volume: string;
  /** The folder that the kubelet wants. */
  readonly target: string;
}

/** The kubelet's request: the fields of NodePublishVolumeRequest that this code reads. */
export interface WantedVolume {
  readonly volumeId: string;
  readonly targetPath: string;
  readonly readonly: boolean;
  readonly volumeContext: Readonly<Record<string, string>>;
}

/** A volume that can be published; else everything that is wrong with the request. */
export type VolumeFinding =
  | ({ readonly ok: true } & VolumePlace)
  | { readonly ok: false; readonly problems: readonly string[] };

/** As the API server makes them, and the hash that the kubelet gives a static pod. */
const uidForm = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/;
const labelForm = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Pure: reads the place of a volume out of the folder that the kubelet names,
 * KUBELET/pods/UID/volumes/kubernetes.io~csi/NAME/mount; undefined for every other folder.
 */
export function placeOf(target: string, kubelet: string): VolumePlace | undefined {
  const start = `${kubelet}/pods/`;
  if (!target.startsWith(start)) return undefined;
  const [podUid = "", volumes, kind, volume = "", mount, ...rest] = target
    .slice(start.length)
    .split("/");
  if (volumes !== "volumes" || kind !== "kubernetes.io~csi" || mount !== "mount") return undefined;
  if (rest.length > 0 || !uidForm.test(podUid) || !labelForm.test(volume)) return undefined;
  return { podUid, volume, target };
}

/** Pure: judges a request for a volume. */
export function judgeVolume(wanted: WantedVolume, kubelet: string): VolumeFinding {
  const { volumeContext: context, targetPath } = wanted;
  const place = placeOf(targetPath, kubelet);
  const podUid = context["csi.storage.k8s.io/pod.uid"];
  const problems = [
    ...(wanted.volumeId === "" ? ["volume_id: wanted a name, found none"] : []),
    ...(place === undefined
      ? [`target_path ${JSON.stringify(targetPath)}: wanted a volume's folder below ${kubelet}`]
      : []),
    ...(wanted.readonly
      ? []
      : // The files are those of every pod on the node.
        [`the volume of ${CSI_DRIVER}: wanted \`readOnly: true\`, found false`]),
    ...(context["csi.storage.k8s.io/ephemeral"] === "true"
      ? []
      : [`${CSI_DRIVER}: wanted an inline volume of a pod, found a persistent one`]),
    ...(place !== undefined && podUid !== place.podUid
      ? [`pod.uid: wanted ${place.podUid}, which target_path names, found ${podUid ?? "none"}`]
      : []),
  ];
  if (place === undefined || problems.length > 0) return { ok: false, problems };
  return { ok: true, ...place };
}

/** A token of a pod's service account. */
export interface PodToken {
  readonly text: string;
  readonly expiresMs: number;
}

/**
 * The token for an audience, among those that the kubelet gives; `none` if it gives none for that.
 */
export type TokenFinding = PodToken | "none" | "malformed";

/** TokenRequests of a CSIDriver: an object with a token for each audience. */
const TOKENS = "csi.storage.k8s.io/serviceAccount.tokens";

/** Pure: reads the token for an audience out of a request. */
export function tokenOf(
  { volumeContext }: Pick<WantedVolume, "volumeContext">,
  audience: string,
): TokenFinding {
  const text = volumeContext[TOKENS];
  if (text === undefined || text === "") return "none";
  const given = parsed(text);
  if (given === undefined) return "malformed";
  const found = Object.hasOwn(given, audience) ? Object(given)[audience] : undefined;
  if (found === undefined) return "none";
  const { token, expirationTimestamp } = Object(found);
  const expiresMs = Date.parse(expirationTimestamp);
  if (typeof token !== "string" || token === "" || Number.isNaN(expiresMs)) return "malformed";
  return { text: token, expiresMs };
}

/** The error of the parser would repeat the text. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
