import { LOGIN_SOCKET, PERMIT_AUDIENCE, VOLUME_SOCKET } from "@svc/protocol";
import type { Container, EnvEntry } from "../pod/pod.ts";
import type { Attachment } from "./attachment.ts";
import { brokerAttachments } from "./broker-attachments.ts";
import { bundleFacts } from "./bundle-source.ts";
import { containerAuth } from "./container-auth.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { mountPathOf } from "./mount-path.ts";
import { setsVariable } from "./own-variables.ts";
import { ACCOUNT_FOLDER, AGENT_FOLDER, BUNDLE_FOLDER, FILES_FOLDER } from "./paths.ts";

/** An hour, renewed by the kubelet at four fifths of it, as the pod's own token is. */
const TOKEN_SECONDS = 3600;

/**
 * The attachments of one container. It leaves out those that the container's own variables replace.
 */
export function attachmentsOf(
  container: Container,
  settings: InjectionSettings,
): readonly Attachment[] {
  const tokens = [
    ...(agentGivesToken(settings) ? [] : accountToken(container, settings)),
    ...permits(container, settings),
  ];
  return [
    bundle(container, settings),
    ...agent(container, settings),
    ...withRefresh(tokens, container, settings),
    ...vaultCa(container, settings),
    ...vaultToken(container, settings),
    ...brokerAttachments(container, settings),
  ];
}

function bundle(container: Container, settings: InjectionSettings): Attachment {
  const env = agentComesWithBundle(settings)
    ? [...agentVariables(container, settings), ...loginVariables(container, settings)]
    : [];
  const { volume } = bundleFacts(settings.operator.bundle);
  return { part: "bundle", source: volume, mountPath: BUNDLE_FOLDER, env };
}

/** The volume of the CSI driver has the agent's socket in it. */
function agentComesWithBundle({ operator }: Pick<InjectionSettings, "operator">): boolean {
  return bundleFacts(operator.bundle).bringsAgent;
}

function agent(container: Container, settings: InjectionSettings): readonly Attachment[] {
  const env = agentVariables(container, settings);
  if (env.length === 0 || agentComesWithBundle(settings)) return [];
  const path = settings.operator.agentFolder;
  // The folder and not the socket, which is another one after each start of the agent.
  const source = { hostPath: { path, type: "DirectoryOrCreate" } };
  return [{ part: "agent", source, mountPath: AGENT_FOLDER, env }];
}

/** None if the container is not to be watched, or names an agent itself. */
function agentVariables(container: Container, settings: InjectionSettings): readonly EnvEntry[] {
  if (!settings.values.ebpf || setsVariable(container, "SVC_EBPF_AGENT_ADDR")) return [];
  const folder = agentComesWithBundle(settings) ? BUNDLE_FOLDER : AGENT_FOLDER;
  return [
    { name: "SVC_EBPF_AGENT_ADDR", value: `unix://${folder}/${VOLUME_SOCKET}` },
    { name: "SVC_POD_UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
    { name: "SVC_EBPF_NODE_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    { name: "SVC_POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "SVC_POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "SVC_CONTAINER_NAME", value: container.name },
  ];
}

/** Where the wrapper asks the agent for the token that it logs in with. */
function loginVariables(container: Container, settings: InjectionSettings): readonly EnvEntry[] {
  if (!agentGivesToken(settings) || !containerAuth(container, settings).usesAccount) return [];
  if (setsVariable(container, "SVC_AUTH_JWT_PATH")) return [];
  return [{ name: "SVC_AUTH_JWT_PATH", value: `unix://${BUNDLE_FOLDER}/${LOGIN_SOCKET}` }];
}

/** The kubelet hands the agent tokens for one audience. */
function agentGivesToken({ operator, values }: InjectionSettings): boolean {
  const { tokenSource, tokenAudience } = operator;
  if (!agentComesWithBundle({ operator }) || tokenSource !== "agent") return false;
  return (values.tokenAudience ?? tokenAudience) === tokenAudience;
}

/** Stands for the pod's own token, in place of an audience. */
const OWN_TOKEN = "none";

/**
 * A token of the pod's account for a separate audience: the API server does not accept it, and
 * a role that names the audience takes no other. If the pod's own token is asked for, one is
 * made only if the container has none.
 */
function accountToken(container: Container, settings: InjectionSettings): readonly Attachment[] {
  const asked = settings.values.tokenAudience ?? settings.operator.tokenAudience;
  const audience = asked === OWN_TOKEN ? undefined : asked;
  if (!containerAuth(container, settings).usesAccount) return [];
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
      source: projected(token, settings),
      mountPath,
      env: [{ name: "SVC_AUTH_JWT_PATH", value: `${mountPath}/token` }],
    },
  ];
}

/** A token that proves the pod to the operator and opens nothing else, and the operator's address. */
function permits(container: Container, settings: InjectionSettings): readonly Attachment[] {
  const { operator, values } = settings;
  const { permits: place } = operator;
  const hints = hintVariables(container, settings);
  const asks = (values.rotation ?? "restart") === "restart" || hints.length > 0;
  if (place === undefined || !asks || setsVariable(container, "SVC_PERMITS_ADDR")) return [];
  const token = {
    path: "token",
    expirationSeconds: TOKEN_SECONDS,
    audience: PERMIT_AUDIENCE,
  };
  const mountPath = `${FILES_FOLDER}/permits`;
  return [
    {
      part: "permits",
      source: projected(token, settings),
      mountPath,
      env: [
        { name: "SVC_PERMITS_ADDR", value: place.address },
        { name: "SVC_PERMITS_CACERT_BYTES", value: place.authorityPem },
        { name: "SVC_PERMITS_TOKEN_FILE", value: `${mountPath}/token` },
        ...hints,
      ],
    },
  ];
}

/** Has the wrapper subscribe to version hints, unless it never looks for changes. */
function hintVariables(
  container: Container,
  { operator, values }: InjectionSettings,
): readonly EnvEntry[] {
  if (!operator.hints || values.rotation === "none") return [];
  return setsVariable(container, "SVC_HINTS") ? [] : [{ name: "SVC_HINTS", value: "true" }];
}

/** A token, and the annotation `refresh`, which costs no volume there. */
function projected(
  serviceAccountToken: object,
  settings: Pick<InjectionSettings, "operator">,
): Attachment["source"] {
  const sources = [{ serviceAccountToken }, { downwardAPI: refreshItems(settings) }];
  return { projected: { sources } };
}

/** The annotation `refresh` as a file, whose change asks for a check. */
function refreshItems({ operator }: Pick<InjectionSettings, "operator">) {
  const fieldPath = `metadata.annotations['${operator.prefix}/refresh']`;
  return { items: [{ path: "refresh", fieldRef: { fieldPath } }] };
}

/** Names the file `refresh` in one of the volumes, or in one that is made for it. */
function withRefresh(
  tokens: readonly Attachment[],
  container: Container,
  settings: InjectionSettings,
): readonly Attachment[] {
  if (settings.values.rotation === "none" || setsVariable(container, "SVC_REFRESH_FILE")) {
    return tokens;
  }
  const source = { downwardAPI: refreshItems(settings) };
  const mountPath = `${FILES_FOLDER}/refresh`;
  const [first, ...others] = [...tokens, { part: "refresh" as const, source, mountPath, env: [] }];
  if (first === undefined) return tokens;
  const env = [...first.env, { name: "SVC_REFRESH_FILE", value: `${first.mountPath}/refresh` }];
  return [{ ...first, env }, ...others.filter(({ part }) => part !== "refresh")];
}

function vaultCa(
  container: Container,
  { values, operator }: InjectionSettings,
): readonly Attachment[] {
  if (setsVariable(container, "VAULT_CACERT", "VAULT_CACERT_BYTES", "VAULT_CAPATH")) return [];
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
  if (secret === undefined || !containerAuth(container, settings).readsTokenSecret) return [];
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
