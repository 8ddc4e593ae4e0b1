import type { Container } from "../pod/pod.ts";
import type { Attachment } from "./attachment.ts";
import { brokerAttachments } from "./broker-attachments.ts";
import { containerAuth } from "./container-auth.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { mountPathOf } from "./mount-path.ts";
import { setsVariable } from "./own-variables.ts";
import { ACCOUNT_FOLDER, BUNDLE_FOLDER, FILES_FOLDER } from "./paths.ts";

/** An hour, renewed by the kubelet at four fifths of it, as the pod's own token is. */
const TOKEN_SECONDS = 3600;

/** The attachments of one container. What its own variables choose differently is left out. */
export function attachmentsOf(
  container: Container,
  settings: InjectionSettings,
): readonly Attachment[] {
  return [
    bundle(settings),
    ...agent(container, settings),
    ...accountToken(container, settings),
    ...vaultCa(container, settings),
    ...vaultToken(container, settings),
    ...brokerAttachments(container, settings),
  ];
}

function bundle({ operator }: InjectionSettings): Attachment {
  const { bundle: from } = operator;
  const source =
    from.kind === "copy"
      ? // On disk: in memory its 6 MiB would count as the pod's.
        { emptyDir: {} }
      : { image: { reference: from.image, pullPolicy: "IfNotPresent" } };
  return { part: "bundle", source, mountPath: BUNDLE_FOLDER, env: [] };
}

function agent(container: Container, { values, operator }: InjectionSettings) {
  if (!values.ebpf || setsVariable(container, "SVC_EBPF_AGENT_ADDR")) return [];
  const path = operator.agentFolder;
  return [
    {
      part: "agent",
      // The folder and not the socket, which is another one after each start of the agent.
      source: { hostPath: { path, type: "DirectoryOrCreate" } },
      mountPath: "/var/run/svc",
      env: [
        { name: "SVC_EBPF_AGENT_ADDR", value: "unix:///var/run/svc/agent.sock" },
        { name: "SVC_POD_UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
        { name: "SVC_EBPF_NODE_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
        { name: "SVC_POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "SVC_POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
        { name: "SVC_CONTAINER_NAME", value: container.name },
      ],
    },
  ] as const;
}

/** Stands for the pod's own token, in place of an audience. */
const OWN_TOKEN = "none";

/**
 * A token of the pod's account for an audience of its own: the API server takes it from nobody, and
 * a role that names the audience takes no other. Where the pod's own token is asked for, one is
 * made only where the container has none.
 */
function accountToken(container: Container, settings: InjectionSettings): readonly Attachment[] {
  const asked = settings.values.tokenAudience ?? settings.operator.tokenAudience;
  const audience = asked === OWN_TOKEN ? undefined : asked;
  if (containerAuth(container, settings) !== "kubernetes") return [];
  if (setsVariable(container, "SVC_AUTH_JWT_PATH")) return [];
  const hasToken = (container.volumeMounts ?? []).some(
    (mount) => mountPathOf(mount) === ACCOUNT_FOLDER,
  );
  if (hasToken && audience === undefined) return [];
  const token = {
    path: "token",
    expirationSeconds: TOKEN_SECONDS,
    ...(audience !== undefined && { audience }),
  };
  const mountPath = `${FILES_FOLDER}/account`;
  return [
    {
      part: "account",
      source: { projected: { sources: [{ serviceAccountToken: token }] } },
      mountPath,
      env: [{ name: "SVC_AUTH_JWT_PATH", value: `${mountPath}/token` }],
    },
  ];
}

function vaultCa(
  container: Container,
  { values, operator }: InjectionSettings,
): readonly Attachment[] {
  if (setsVariable(container, "VAULT_CACERT", "VAULT_CAPATH")) return [];
  const mountPath = `${FILES_FOLDER}/vault-ca`;
  const env = [{ name: "VAULT_CACERT", value: `${mountPath}/ca.crt` }];
  const { vaultCaSecret: secret, vaultCaBundle: pem } = values;
  if (secret !== undefined) {
    const items = [{ key: secret.key, path: "ca.crt" }];
    const source = { secret: { secretName: secret.name, items } };
    return [{ part: "vault-ca", source, mountPath, env }];
  }
  if (pem === undefined) return [];
  // An annotation as a file: no object besides the pod has to be made, kept or cleaned away.
  const fieldPath = `metadata.annotations['${operator.prefix}/vault-ca-bundle']`;
  const source = { downwardAPI: { items: [{ path: "ca.crt", fieldRef: { fieldPath } }] } };
  return [{ part: "vault-ca", source, mountPath, env }];
}

function vaultToken(container: Container, settings: InjectionSettings): readonly Attachment[] {
  const { tokenSecret: secret } = settings.values;
  if (secret === undefined || containerAuth(container, settings) !== "token") return [];
  if (setsVariable(container, "VAULT_TOKEN", "VAULT_TOKEN_FILE")) return [];
  const mountPath = `${FILES_FOLDER}/vault-token`;
  const items = [{ key: secret.key, path: "token" }];
  return [
    {
      part: "vault-token",
      source: { secret: { secretName: secret.name, items } },
      mountPath,
      env: [{ name: "VAULT_TOKEN_FILE", value: `${mountPath}/token` }],
    },
  ];
}
