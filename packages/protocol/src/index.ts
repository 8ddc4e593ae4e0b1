export { placeholderValue } from "./placeholder.ts";
export {
  type RegionEntry,
  RegionFormatError,
  type RegionFormatErrorCode,
  readRegion,
  regionFormatErrorCatalogue,
  regionLength,
  writeRegion,
} from "./region-format.ts";
export {
  copyGeneration,
  type Generation,
  isReloadable,
  type NextOptions,
  readGeneration,
  reloadableLength,
  type WrittenGeneration,
  writeFirstGeneration,
  writeNextGeneration,
} from "./reloadable-region.ts";
export { version } from "./version.ts";
