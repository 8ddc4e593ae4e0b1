export { parseAuthPath } from "./auth-path.ts";
export { parseCertificates } from "./certificates.ts";
export { closest } from "./closest.ts";
export { type DeliveryMethod, deliveryMethods, parseDelivery } from "./delivery-method.ts";
export { findDuplicates, type NamedPlace } from "./duplicates.ts";
export { type DurationBounds, parseDurationBetween } from "./duration-between.ts";
export { editDistance } from "./edit-distance.ts";
export { type EnvMap, parseEnvMap, parseSparseEnvMap } from "./env-map.ts";
export { type FileMapping, type FileOwner, parseFileEntry } from "./file-entry.ts";
export { type FileMap, MOST_FILES, parseFileMap } from "./file-map.ts";
export { parseFilePath } from "./file-path.ts";
export { parseFileTarget } from "./file-target.ts";
export { mustBeFirstProcess } from "./first-process.ts";
export { flagSections } from "./flag-sections.ts";
export { type FlagRules, type ParsedFlags, parseFlags } from "./flags.ts";
export { type Following, parseFollow } from "./following.ts";
export { parseGoBoolean } from "./go-boolean.ts";
export { goDurationNs, parseGoDuration } from "./go-duration.ts";
export type { HostPort } from "./host-port.ts";
export { isIdentifier, parseIdentifier } from "./identifier.ts";
export { parseIpAddress } from "./ip-address.ts";
export { isRemotePlaintext } from "./is-remote-plaintext.ts";
export { type KvPath, kvPathText, parseKvPath, type SecretEngine } from "./kv-path.ts";
export { parseList } from "./list.ts";
export { parseListenAddress } from "./listen-address.ts";
export {
  type LoginMethod,
  loginMethodNames,
  loginMethods,
  methodsWithToken,
  parseLoginMethod,
} from "./login-method.ts";
export { type EveryMapping, type FieldMapping, type Mapping, parseMapping } from "./mapping.ts";
export { type NearMissRules, nearMisses } from "./near-misses.ts";
export { choicesOf, parseOneOf } from "./one-of.ts";
export {
  accepted,
  joinRefusals,
  type Parsed,
  type Parser,
  type Refused,
  refused,
} from "./parsed.ts";
export { hasPlainSegments, withoutOuterSlashes } from "./path-segments.ts";
export { decodePercent, encodePercent } from "./percent-codes.ts";
export { parsePlainText } from "./plain-text.ts";
export {
  type Problem,
  type ProblemParts,
  problem,
  problemsOf,
  type RefusedSource,
} from "./problem.ts";
export { printable, quoted } from "./quoted.ts";
export { readVaultTls, type ServerTls } from "./read-vault-tls.ts";
export { complain, present, type Reading, type RowName, requirePair } from "./reading.ts";
export {
  parseRotation,
  type RotationMode,
  type RotationWay,
  rotationModes,
  rotationWays,
} from "./rotation-mode.ts";
export { parseServerName } from "./server-name.ts";
export { parseServerUrl } from "./server-url.ts";
export { parseStopSignal, signalName } from "./signals.ts";
export { parseSocketAddress } from "./socket-address.ts";
export { type Supervision, supervisions } from "./supervision.ts";
export {
  flagOf,
  flagOnly,
  type Requiredness,
  type Variable,
  type VariableTable,
  variable,
} from "./variable.ts";
export { parseVariableName, variableNameProblem } from "./variable-name.ts";
export {
  type GivenText,
  type ParsedVariables,
  parseVariables,
  type ValueOf,
  type Values,
  type VariablesInput,
} from "./variables.ts";
export { parseVaultNamespace } from "./vault-namespace.ts";
export { vaultTlsVariables } from "./vault-tls-variables.ts";
export { looksLikeJson, parseWords } from "./words.ts";
