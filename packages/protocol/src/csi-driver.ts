/** What the CSIDriver object, the kubelet and pods call the agent's CSI driver. */
export const CSI_DRIVER = "csi.svc.internal";

/** In a volume of the driver: the socket at which wrappers register. */
export const VOLUME_SOCKET = "agent.sock";
