/** The running kernel, or its configuration, lacks something. */
export class UnsupportedFeatureError extends Error {
  /** The feature, by its kernel name. */
  readonly feature: string;
  /** The first kernel that has it, and its other requirements. */
  readonly needs: string;

  constructor(feature: string, needs: string, cause: unknown) {
    super(`${feature} is not available: needs ${needs}`, { cause });
    this.name = "UnsupportedFeatureError";
    this.feature = feature;
    this.needs = needs;
  }
}
