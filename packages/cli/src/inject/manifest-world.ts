import {
  type AdmissionWorld,
  type AskImages,
  askPodImages,
  ImageLookup,
  parsePullSecrets,
  type RegistrySettings,
} from "@svc/operator";
import type { InjectSettings } from "./inject-settings.ts";
import type { Manifests } from "./read-manifests.ts";

/** What pods are judged by, where a file stands for the cluster. */
export function manifestWorld(
  settings: InjectSettings,
  manifests: Manifests,
  authorities: RegistrySettings["authorities"],
): AdmissionWorld {
  const { operator, defaultConfig, images, lookUpImages } = settings;
  const { configs } = manifests;
  const lookup = new ImageLookup({ settings: { ...images.registries, authorities } });
  return {
    operator,
    configsOf: async (namespace) => configs.filter((config) => config.namespace === namespace),
    clusterDefault: () => {
      if (defaultConfig === undefined) return undefined;
      const { namespace, name } = defaultConfig;
      const found = configs.find((it) => it.namespace === namespace && it.name === name);
      return found ?? { absent: `${namespace}/${name}` };
    },
    imagesOf: lookUpImages
      ? askPodImages({
          lookup,
          architectures: images.architectures,
          credentials: async (namespace, names) => credentials(manifests, namespace, names),
        })
      : notAsked,
  };
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
