import type { CoreV1Api } from "@kubernetes/client-node";
import type { SecretContent, SecretDoor, SecretRevision } from "../secret/secret-object.ts";
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
export function kubernetesSecret(api: CoreV1Api, place: SecretPlace): SecretDoor {
  const name = `secret "${place.name}" in namespace "${place.namespace}"`;
  return {
    name,
    read: () => read(api, place, name),
    create: (content) => create(api, place, { content, name }, {}),
    replace: async (content, revision) => {
      const asked = { operation: `write ${name}`, carriesSecret: content.data.size > 0 };
      return (await replace(api, place, { content, revision, asked })) ? "written" : "conflict";
    },
    rehearse: async (content, revision) => {
      if (revision === undefined) {
        const made = await create(api, place, { content, name }, DRY_RUN);
        return made === "written" ? "accepted" : "conflict";
      }
      const asked = { operation: `try to write ${name}` };
      const wish = { content, revision, asked, ...DRY_RUN };
      return (await replace(api, place, wish)) ? "accepted" : "conflict";
    },
    createBeside: (content) => createBeside(api, place, content),
  };
}

/** The server judges the whole request, and keeps nothing. */
const DRY_RUN = { dryRun: "All" } as const;
type DryRun = Partial<typeof DRY_RUN>;

async function read(api: CoreV1Api, place: SecretPlace, name: string) {
  try {
    return fromManifest(await api.readNamespacedSecret({ ...place }));
  } catch (error) {
    if (refusalOf(error)?.status === NOT_FOUND) return undefined;
    throw kubernetesFailure(error, { operation: `read ${name}` });
  }
}

async function create(
  api: CoreV1Api,
  place: SecretPlace,
  { content, name }: { readonly content: SecretContent; readonly name: string },
  dryRun: DryRun,
): Promise<"written" | "exists"> {
  const { namespace } = place;
  try {
    await api.createNamespacedSecret({ namespace, body: toManifest(content, place), ...dryRun });
    return "written";
  } catch (error) {
    if (refusalOf(error)?.reason === "AlreadyExists") return "exists";
    const carriesSecret = content.data.size > 0;
    throw kubernetesFailure(error, { operation: `create ${name}`, carriesSecret });
  }
}

interface Replacement {
  readonly content: SecretContent;
  readonly revision: SecretRevision;
  readonly asked: { readonly operation: string; readonly carriesSecret?: boolean };
  readonly dryRun?: DryRun["dryRun"];
}

/** False where the Secret is not in that state any more, or is gone. */
async function replace(
  api: CoreV1Api,
  place: SecretPlace,
  { content, revision, asked, dryRun }: Replacement,
): Promise<boolean> {
  const body = toManifest(content, place, revision);
  try {
    await api.replaceNamespacedSecret({ ...place, body, ...(dryRun !== undefined && { dryRun }) });
    return true;
  } catch (error) {
    const status = refusalOf(error)?.status;
    if (status === CONFLICT || status === NOT_FOUND) return false;
    throw kubernetesFailure(error, asked);
  }
}

async function createBeside(
  api: CoreV1Api,
  { namespace, name }: SecretPlace,
  content: SecretContent,
): Promise<string> {
  const generateName = `${name}-`;
  const body = toManifest(content, { namespace, generateName });
  try {
    const created = await api.createNamespacedSecret({ namespace, body });
    return created.metadata?.name ?? `${generateName}?`;
  } catch (error) {
    const operation = `create a secret beside "${name}" in namespace "${namespace}"`;
    throw kubernetesFailure(error, { operation, carriesSecret: true });
  }
}
