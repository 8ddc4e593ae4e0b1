/** `@svc/agent-protocol/csi`: the kubelet's requests to a CSI driver of ephemeral volumes. */
export { Identity, Node, type NodePublishVolumeRequest } from "./generated/csi/v1/csi_pb.js";
export { Registration } from "./generated/pluginregistration/v1/api_pb.js";
