export { CSI_DRIVER, LOGIN_SOCKET, VOLUME_SOCKET } from "./csi-driver.ts";
export { placeholderValue } from "./placeholder.ts";
export {
  type ReadEntry,
  type RegionEntry,
  RegionFormatError,
  type RegionFormatErrorCode,
  readRegion,
  regionFormatErrorCatalogue,
  regionLength,
  regionOffsets,
  writeRegion,
} from "./region-format.ts";
export { plainValue, type RegionValue } from "./region-value.ts";
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
export {
  PERMIT_AUDIENCE,
  PERMIT_PATH,
  type PermitAnswer,
  type PermitQuestion,
  type PermitSaying,
  permitSayings,
  type RotationBy,
  rotationBys,
} from "./rotation-permits.ts";
export { version } from "./version.ts";
export {
  HINT_HEADER,
  HINT_PATH,
  HINT_SUBSCRIPTION_PATH,
  type Hint,
  type HintedSecret,
  type HintNews,
  type HintSubscription,
  type HintSubscriptionAnswer,
  hintNews,
  hintText,
  MOST_HINTED_SECRETS,
  parseHint,
  type UnverifiedHint,
} from "./version-hints.ts";
