/** The name of the agent's CSI driver for the CSIDriver object, the kubelet and pods. */
export const CSI_DRIVER = "csi.svc.internal";

/** In a volume of the driver: the socket at which wrappers register. */
export const VOLUME_SOCKET = "agent.sock";

/**
 * In a volume of the driver: the socket at which a wrapper asks for its pod's service account
 * token.
 */
export const LOGIN_SOCKET = "login.sock";
