import type { AdmissionContext, AskImages, Judging, SvcConfig } from "@svc/operator";

/** The inputs for judging pods, if all SvcConfigs are known. */
export function contextOfConfigs(
  { operator, defaultConfig }: Pick<Judging, "operator" | "defaultConfig">,
  configs: readonly SvcConfig[],
  imagesOf: AskImages,
): AdmissionContext {
  return {
    operator,
    configsOf: async (namespace) => configs.filter((config) => config.namespace === namespace),
    clusterDefault: () => {
      if (defaultConfig === undefined) return undefined;
      const { namespace, name } = defaultConfig;
      const found = configs.find((it) => it.namespace === namespace && it.name === name);
      return found ?? { absent: `${namespace}/${name}` };
    },
    imagesOf,
  };
}
