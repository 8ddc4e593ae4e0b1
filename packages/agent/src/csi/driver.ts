import { CSI_DRIVER, LOGIN_SOCKET, VOLUME_SOCKET } from "@svc/protocol";

/** Below the kubelet's folder. */
const PLUGIN_FOLDER = `plugins/${CSI_DRIVER}`;

/** The places of the driver's files. */
export interface DriverPlaces {
  /** The kubelet's `--root-dir`. */
  readonly kubelet: string;
  /** The driver's own folder, for root only. */
  readonly folder: string;
  /** The socket at which the kubelet asks for volumes. */
  readonly socket: string;
  /** The socket at which the kubelet asks for the name of the driver. */
  readonly registrationSocket: string;
  /** The socket at which wrappers register: each volume has a hard link to it. */
  readonly wrapperSocket: string;
  /**
   * The socket at which wrappers ask for their pods' tokens; volumes have hard links to it, too.
   */
  readonly loginSocket: string;
  /** Into this folder an init container copies the wrapper. */
  readonly incoming: string;
}

/** Pure: the places of the driver's files below the kubelet's folder. */
export function driverPlaces(kubelet: string): DriverPlaces {
  const folder = `${kubelet}/${PLUGIN_FOLDER}`;
  return {
    ...{ kubelet, folder },
    socket: `${folder}/csi.sock`,
    registrationSocket: `${kubelet}/plugins_registry/${CSI_DRIVER}-reg.sock`,
    wrapperSocket: `${folder}/wrappers/${VOLUME_SOCKET}`,
    loginSocket: `${folder}/wrappers/${LOGIN_SOCKET}`,
    incoming: `${folder}/incoming`,
  };
}
