import { isRegistry, isRepository } from "./image-reference.ts";
import type { RegistrySettings } from "./registry-settings.ts";

/** What is wrong with the settings, one line each; lookups with such settings would throw a TypeError. */
export function registryProblems(settings: RegistrySettings): readonly string[] {
  const { defaultRegistry, mirrors, insecureRegistries, authorities, trustedHosts } = settings;
  const authorityHosts = Object.keys(authorities).filter((host) => host !== "*");
  const byDefault = defaultRegistry
    ? [defaultRegistry.name, defaultRegistry.server, ...defaultRegistry.aliases]
    : [];
  const hosts: Readonly<Record<string, readonly string[]>> = {
    "default registry": byDefault,
    mirrors: Object.keys(mirrors),
    "insecure registries": Object.keys(insecureRegistries),
    authorities: authorityHosts,
    "trusted hosts": trustedHosts,
  };
  return [
    ...Object.entries(hosts).flatMap(([where, texts]) =>
      texts
        .filter((text) => !isRegistry(text))
        .map((text) => line(where, "HOST or HOST:PORT", text)),
    ),
    ...Object.values(mirrors)
      .flat()
      .filter((text) => !isMirror(text))
      .map((text) => line("mirrors", "HOST[:PORT][/PREFIX]", text)),
  ];
}

function isMirror(text: string): boolean {
  const [, host = "", prefix] = /^([^/]+)(?:\/(.*?)\/*)?$/.exec(text) ?? [];
  return isRegistry(host) && (prefix === undefined || prefix === "" || isRepository(prefix));
}

function line(where: string, wanted: string, text: string): string {
  return `${where}: must be ${wanted}: got ${JSON.stringify(text)}`;
}
