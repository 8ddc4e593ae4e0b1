import type { CoreV1Api } from "@kubernetes/client-node";
import { BootstrapError } from "../bootstrap-error.ts";
import { sameContent } from "../secret/same-content.ts";
import { secretLabels, secretType } from "../secret/secret-format.ts";
import type { SecretClient, SecretContent, SecretRevision } from "../secret/secret-object.ts";
import { kubernetesFailure, refusalOf } from "./kubernetes-failure.ts";
import { fromManifest, toManifest } from "./secret-manifest.ts";

const NOT_FOUND = 404;
const CONFLICT = 409;

/** Which Secret. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** One Secret in a cluster. */
export function kubernetesSecret(api: CoreV1Api, place: SecretPlace): SecretClient {
  const name = `secret "${place.name}" in namespace "${place.namespace}"`;
  const beside = { ...place, name: `${place.name}-${crypto.randomUUID().slice(0, 8)}` };
  return {
    name,
    read: () => read(api, place, name),
    create: async (content) => {
      const asked = { operation: `create ${name}`, carriesSecret: content.data.size > 0 };
      return (await create(api, place, { content, asked })) === undefined ? "exists" : "written";
    },
    replace: async (content, revision) => {
      const asked = { operation: `write ${name}`, carriesSecret: content.data.size > 0 };
      const left = await replace(api, place, { content, revision, asked });
      return left === undefined ? "conflict" : "written";
    },
    rehearse: async (content, revision, { isDummy = false } = {}) => {
      const asked = { operation: `try to write ${name}`, carriesSecret: !isDummy };
      const left =
        revision === undefined
          ? await create(api, place, { content, asked, ...DRY_RUN })
          : await replace(api, place, { content, revision, asked, ...DRY_RUN });
      return left ?? "conflict";
    },
    besideName: () => besideName(api, beside),
    createBeside: secretBeside(api, beside),
  };
}

/** The server judges the whole request, and keeps nothing. */
const DRY_RUN = { dryRun: "All" } as const;

async function read(api: CoreV1Api, place: SecretPlace, name: string) {
  try {
    return fromManifest(await api.readNamespacedSecret({ ...place }));
  } catch (error) {
    if (refusalOf(error)?.status === NOT_FOUND) return undefined;
    throw kubernetesFailure(error, { operation: `read ${name}` });
  }
}

interface Write {
  readonly content: SecretContent;
  readonly asked: { readonly operation: string; readonly carriesSecret: boolean };
  readonly dryRun?: (typeof DRY_RUN)["dryRun"];
}

/** The new state; undefined if there was one already. */
async function create(
  api: CoreV1Api,
  place: SecretPlace,
  { content, asked, ...dryRun }: Write,
): Promise<SecretContent | undefined> {
  const { namespace } = place;
  try {
    const body = toManifest(content, place);
    return fromManifest(await api.createNamespacedSecret({ namespace, body, ...dryRun }));
  } catch (error) {
    if (refusalOf(error)?.reason === "AlreadyExists") return undefined;
    throw kubernetesFailure(error, asked);
  }
}

/** The new state; undefined if the Secret has changed, or is gone. */
async function replace(
  api: CoreV1Api,
  place: SecretPlace,
  { content, revision, asked, ...dryRun }: Write & { readonly revision: SecretRevision },
): Promise<SecretContent | undefined> {
  const body = toManifest(content, place, revision);
  try {
    return fromManifest(await api.replaceNamespacedSecret({ ...place, body, ...dryRun }));
  } catch (error) {
    const status = refusalOf(error)?.status;
    if (status === CONFLICT || status === NOT_FOUND) return undefined;
    throw kubernetesFailure(error, asked);
  }
}

/** Tries it without data, and asks for nothing but the right. */
async function besideName(api: CoreV1Api, place: SecretPlace): Promise<string | undefined> {
  const operation = `try to create secret "${place.name}" in namespace "${place.namespace}"`;
  const asked = { operation, carriesSecret: false };
  const content = { type: secretType, labels: secretLabels, annotations: {}, data: new Map() };
  try {
    await create(api, place, { content, asked, ...DRY_RUN });
    return place.name;
  } catch (error) {
    if (error instanceof BootstrapError && error.code === "KUBERNETES_DENIED") return undefined;
    throw error;
  }
}

/**
 * One Secret for all tries, because each would have all keys. This run alone uses its name. If it
 * exists already, an earlier try has made it, and its answer was lost or has shown that it is
 * spoilt.
 */
function secretBeside(api: CoreV1Api, place: SecretPlace): SecretClient["createBeside"] {
  const operation = `create secret "${place.name}" in namespace "${place.namespace}"`;
  let isSpoilt = false;
  return async (content) => {
    const made = await create(api, place, { content, asked: { operation, carriesSecret: true } });
    isSpoilt ||= made !== undefined && !sameContent(made, content);
    if (isSpoilt) throw spoilt(operation);
    return place.name;
  };
}

function spoilt(operation: string): BootstrapError {
  const found = "a client or an admission webhook changes the written data";
  return new BootstrapError("OUTPUT_NOT_KEPT", `${operation}: ${found}`);
}
