import {
  type AdmissionContext,
  type AskImages,
  askPodImages,
  ImageLookup,
  parsePullSecrets,
  type RegistrySettings,
} from "@svc/operator";
import { contextOfConfigs } from "./context-of-configs.ts";
import type { InjectSettings } from "./inject-settings.ts";
import type { Manifests } from "./read-manifests.ts";

/** The inputs for judging pods, if a file stands for the cluster. */
export function manifestContext(
  settings: InjectSettings,
  manifests: Manifests,
  authorities: RegistrySettings["authorities"],
): AdmissionContext {
  const { images, lookUpImages } = settings;
  const lookup = new ImageLookup({ settings: { ...images.registries, authorities } });
  const imagesOf = askPodImages({
    lookup,
    architectures: images.architectures,
    credentials: async (namespace, names) => credentials(manifests, namespace, names),
  });
  return contextOfConfigs(settings, manifests.configs, lookUpImages ? imagesOf : notAsked);
}

const notAsked: AskImages = async (images) =>
  new Map(
    images.map((image) => [
      image,
      { kind: "unreadable", reason: "registries are asked with --look-up-images only" },
    ]),
  );

function credentials(
  { pullSecrets }: Manifests,
  namespace: string,
  names: readonly string[],
): ReturnType<typeof parsePullSecrets> {
  const found = names.map((name) =>
    pullSecrets.find((it) => it.namespace === namespace && it.name === name),
  );
  const missing = names.filter((_, index) => found[index] === undefined);
  const { entries, problems } = parsePullSecrets(found.filter((it) => it !== undefined));
  const absent = missing.map((name) => `read pull secret ${name}: it is not in the file`);
  return { entries, problems: [...absent, ...problems] };
}
