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
export { version } from "./version.ts";
