import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Node } from "@svc/agent-protocol/csi";

/** A volume that the kubelet asks for. */
export interface AskedVolume {
  readonly podUid: string;
  readonly target: string;
  /** The token of the pod's service account, for the audience `vault`. */
  readonly token: string | undefined;
}

/** Asks the CSI driver at a socket for a volume, as the kubelet does. */
export async function publishVolume(
  socket: string,
  { podUid, target, token }: AskedVolume,
): Promise<void> {
  const nodeOptions = { createConnection: () => connect(socket) };
  const transport = createGrpcTransport({ baseUrl: "http://localhost", nodeOptions });
  const tokens = { vault: { token, expirationTimestamp: "2099-01-01T00:00:00Z" } };
  await createClient(Node, transport).nodePublishVolume({
    ...{ volumeId: `csi-${podUid}`, targetPath: target, readonly: true },
    volumeContext: {
      "csi.storage.k8s.io/ephemeral": "true",
      "csi.storage.k8s.io/pod.uid": podUid,
      ...(token && { "csi.storage.k8s.io/serviceAccount.tokens": JSON.stringify(tokens) }),
    },
  });
}
