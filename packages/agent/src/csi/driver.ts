import { CSI_DRIVER, LOGIN_SOCKET, VOLUME_SOCKET } from "@svc/protocol";

/** Below the kubelet's folder. */
const PLUGIN_FOLDER = `plugins/${CSI_DRIVER}`;

/** Where the driver has its files. */
export interface DriverPlaces {
  /** The kubelet's `--root-dir`. */
  readonly kubelet: string;
  /** The driver's own folder, for root only. */
  readonly folder: string;
  /** Where the kubelet asks for volumes. */
  readonly socket: string;
  /** The socket where the kubelet asks for the name of the driver. */
  readonly registrationSocket: string;
  /** Where wrappers register: each volume has a hard link to it. */
  readonly wrapperSocket: string;
  /** Where wrappers ask for their pods' tokens; volumes have hard links to it, too. */
  readonly loginSocket: string;
  /** Into this folder an init container copies the wrapper. */
  readonly incoming: string;
}

/** Pure: where the driver's files are below the kubelet's folder. */
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
