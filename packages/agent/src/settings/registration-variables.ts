import { parseFilePath, parseListenAddress, parsePlainText, variable } from "@svc/settings";
import { parseRegistrationUnits, parseRegistrationUsers } from "./parse-registration-rules.ts";

const group = "Registration";
const both = { conditional: "No; only together with GRPC_TLS_KEY" };

/** How wrappers reach the agent. */
export const registrationVariables = {
  grpcListen: variable({
    name: "GRPC_LISTEN_ADDR",
    group,
    type: "listen address",
    default: "0.0.0.0:9443",
    parse: parseListenAddress,
    meaning:
      "gRPC address that takes registrations of wrappers over TCP. They can only add protection. Wrappers prove their identity by a service account's token or a client certificate, so the address takes none before GRPC_TLS_CERT is set.",
  }),
  socketPath: variable({
    name: "GRPC_SOCKET_PATH",
    group,
    type: "file",
    default: "/var/run/svc/agent.sock",
    parse: parseFilePath,
    meaning:
      "Socket that takes registrations of wrappers of this machine. Every process may connect. The kernel identifies the caller, and only pods, REGISTRATION_UNITS and REGISTRATION_USERS may register.",
  }),
  registryPath: variable({
    name: "REGISTRY_PATH",
    group,
    type: "file",
    default: "/var/lib/svc/agent-registry",
    parse: parseFilePath,
    meaning:
      "File in which the agent notes the owner of each registered process, so that the next agent protects it. For root only, and not in the folder of GRPC_SOCKET_PATH: pods have that one.",
  }),
  registrationUnits: variable({
    name: "REGISTRATION_UNITS",
    group,
    type: "list",
    default: "svc-wrapper@*.service",
    parse: parseRegistrationUnits,
    meaning:
      "Services of systemd whose processes may register at GRPC_SOCKET_PATH, as any user. `*` stands for any characters; `none`: no service. Services of a user's own manager never count.",
  }),
  registrationUsers: variable({
    name: "REGISTRATION_USERS",
    group,
    type: "list",
    default: "root",
    parse: parseRegistrationUsers,
    meaning:
      "Users who may register their own programs at GRPC_SOCKET_PATH, outside of pods and of REGISTRATION_UNITS: `root`, or numbers, because the agent does not read the machine's user names. `none`: no user. Root on the machine cannot debug programs that a user of this list registers.",
  }),
  adminSocketPath: variable({
    name: "ADMIN_SOCKET_PATH",
    group,
    type: "file",
    default: "/var/lib/svc/agent-admin.sock",
    parse: parseFilePath,
    meaning:
      "Socket that `svc-agent break-glass` asks, with ENFORCE_MODE. For root only, and not in the folder of GRPC_SOCKET_PATH: pods have that one, and their root is root.",
  }),
  kubeletFolder: variable({
    name: "KUBELET_FOLDER",
    group,
    type: "folder",
    default: "/var/lib/kubelet",
    parse: parseFilePath,
    meaning:
      "Folder of the kubelet (its `--root-dir`). By the socket `device-plugins/kubelet.sock` in it the agent finds the kubelet, whose openings of service account tokens it does not report.",
  }),
  csiKubeletFolder: variable({
    name: "CSI_KUBELET_FOLDER",
    group,
    type: "folder",
    parse: parseFilePath,
    meaning:
      "Folder of the kubelet (its `--root-dir`), if the agent serves the CSI driver csi.svc.internal: pods get the wrapper and the agent's socket by an inline volume. Unset: it serves none.",
  }),
  csiTokenAudience: variable({
    name: "CSI_TOKEN_AUDIENCE",
    group,
    type: "text",
    requiredness: { conditional: "No; only together with CSI_KUBELET_FOLDER" },
    parse: parsePlainText,
    meaning:
      "Audience of the service account tokens that the kubelet hands to the CSI driver. The agent gives a pod's token to the pod's wrappers alone, at login.sock of the volume. The CSIDriver has to name the audience in `tokenRequests`. Unset: it gives no tokens.",
  }),
  grpcCertPath: variable({
    name: "GRPC_TLS_CERT",
    group,
    type: "file",
    requiredness: both,
    parse: parseFilePath,
    meaning: "TLS certificate of GRPC_LISTEN_ADDR, PEM. Read again when it changes.",
  }),
  grpcKeyPath: variable({
    name: "GRPC_TLS_KEY",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with GRPC_TLS_CERT" },
    parse: parseFilePath,
    meaning: "Private key of GRPC_TLS_CERT.",
  }),
  grpcClientCaPath: variable({
    name: "GRPC_TLS_CLIENT_CA",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with GRPC_TLS_CERT" },
    parse: parseFilePath,
    meaning: "CA certificates of clients. A client with a certificate of these needs no token.",
  }),
  apiHost: variable({
    name: "KUBERNETES_SERVICE_HOST",
    group,
    type: "text",
    flag: false,
    parse: parsePlainText,
    meaning:
      "API server that checks tokens, as Kubernetes sets it in every pod. Unset: only client certificates count.",
  }),
  apiPort: variable({
    name: "KUBERNETES_SERVICE_PORT",
    group,
    type: "port",
    flag: false,
    default: "443",
    parse: parsePlainText,
    meaning: "Its port.",
  }),
  tokenAudience: variable({
    name: "GRPC_TOKEN_AUDIENCE",
    group,
    type: "text",
    default: "svc-agent",
    parse: parsePlainText,
    meaning:
      "Audience that service account tokens must be made for. They are checked by the API server (TokenReview).",
  }),
};
