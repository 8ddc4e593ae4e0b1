import { CSI_DRIVER } from "@svc/protocol";
import type { Attachment } from "./attachment.ts";

/** The ways by which the wrapper gets into a pod: the closed set. */
export const bundleKinds = ["image-volume", "copy", "csi"] as const;

/** The name of a way by which the wrapper gets into a pod. */
export type BundleKind = (typeof bundleKinds)[number];

/** How the wrapper gets into a pod. */
export type BundleSource = {
  [Kind in BundleKind]: { readonly kind: Kind } & BundleSettings[Kind];
}[BundleKind];

/** The settings of each way. */
interface BundleSettings {
  /** The image itself is mounted: Kubernetes 1.33 or later with a runtime that can. */
  readonly "image-volume": { readonly image: string };
  /** An init container copies it into an emptyDir: works in every cluster. */
  readonly copy: CopySettings;
  /** The node's agent, which is a CSI driver, gives the pod its copy and its socket. */
  readonly csi: object;
}

/** The settings of the init container that copies the wrapper. */
export interface CopySettings {
  readonly image: string;
  /** Copies /opt/svc of the image to /target. */
  readonly command: readonly string[];
  /**
   * The user if no container says one; undefined leaves it to the platform, as OpenShift
   * wants.
   */
  readonly user: number | undefined;
  /** The image is mounted instead if the cluster is known to have image volumes. */
  readonly mountsWherePossible?: true;
}

/** Facts about a source that several parts of the injection need. */
export interface BundleFacts {
  /** The volume that has the wrapper, without its name. */
  readonly volume: Attachment["source"];
  /** The image that has the wrapper; undefined if the wrapper comes from the node. */
  readonly image?: string;
  /** Undefined if no init container copies the wrapper. */
  readonly copy?: CopySettings;
  /** True if the agent's socket is in the volume, too. */
  readonly bringsAgent: boolean;
}

/** Pure: every decision on the source outside of the flags. */
export function bundleFacts(bundle: BundleSource): BundleFacts {
  switch (bundle.kind) {
    case "image-volume": {
      const { image } = bundle;
      const volume = { image: { reference: image, pullPolicy: "IfNotPresent" } };
      return { volume, image, bringsAgent: false };
    }
    case "copy":
      // On disk: in memory its 8 MB would count as the pod's. The limit leaves room.
      return {
        volume: { emptyDir: { sizeLimit: "32Mi" } },
        image: bundle.image,
        copy: bundle,
        bringsAgent: false,
      };
    case "csi":
      return { volume: { csi: { driver: CSI_DRIVER, readOnly: true } }, bringsAgent: true };
  }
}
