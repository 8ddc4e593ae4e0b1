import type { RegistrySettings } from "../image/registry-settings.ts";

/** How images are looked up. */
export interface ImageLookupSettings {
  /** Without the authorities, which are in files. */
  readonly registries: Omit<RegistrySettings, "authorities">;
  /** Files of PEM certificates by registry. */
  readonly authorityFiles: Readonly<Record<string, readonly string[]>>;
  readonly architectures: readonly string[];
  readonly readPullSecrets: boolean;
}
