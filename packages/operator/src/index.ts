/** `@svc/operator`: decides about pods that ask for secrets. */

export type { Log } from "@svc/logging";
export type {
  AbsentConfig,
  AdmissionContext,
  AskImages,
  ConfigAsker,
  ImageAsker,
  UnreadableConfig,
} from "./admission/admission-context.ts";
export { ADMISSION_PATH } from "./admission/admission-endpoint.ts";
export { type AdmissionLimits, admissionLimits } from "./admission/admission-limits.ts";
export type { AdmissionRequest } from "./admission/admission-request.ts";
export type { AdmissionResponse, AdmissionReview } from "./admission/admission-review.ts";
export { type AnsweredReview, answerReview } from "./admission/answer-review.ts";
export { decisionLine } from "./admission/decision-line.ts";
export type { AdmissionOutcome, DecisionRecord } from "./admission/decision-record.ts";
export { type Judgement, judgePod } from "./admission/judge-pod.ts";
export {
  type ImageLookupResult,
  type OperatorMetrics,
  operatorMetrics,
} from "./admission/operator-metrics.ts";
export { type ParsedReview, parseReview } from "./admission/parse-review.ts";
export {
  type AdmissionServer,
  type AdmissionServerOptions,
  type ServerCertificate,
  type StopOptions,
  serveAdmission,
} from "./admission/serve-admission.ts";
export {
  type AnnotationKey,
  type AnnotationTable,
  type AnnotationValues,
  annotationTable,
  prefixedTable,
} from "./annotations/annotation-table.ts";
export {
  type AskedInjection,
  type ParsedAnnotations,
  parseAnnotations,
} from "./annotations/parse-annotations.ts";
export type { CertificateMetrics } from "./certificates/certificate-metrics.ts";
export type { SecretPlace } from "./certificates/certificate-store.ts";
export type { ServedCertificate, TakeCertificate } from "./certificates/follow-certificate.ts";
export {
  type CertificateSource,
  type OperatorCertificateOptions,
  type OperatorCertificates,
  operatorCertificates,
} from "./certificates/operator-certificates.ts";
export type { WebhookPlace } from "./certificates/webhook-trust.ts";
export { followPods, type PodFollower } from "./config-status/follow-pods.ts";
export { keepStatuses, type StatusKeeperOptions } from "./config-status/keep-statuses.ts";
export type { Condition, ConfigStatus } from "./config-status/status-of.ts";
export { type FlagReading, requireBeside } from "./flags/flag-reading.ts";
export type { ImageLookupSettings } from "./flags/image-flags.ts";
export { imageFlags } from "./flags/image-flags.ts";
export { injectionFlags, type Judging, readJudging } from "./flags/injection-flags.ts";
export { type OperatorFlags, operatorFlags } from "./flags/operator-flags.ts";
export type { OperatorProcess } from "./flags/operator-process.ts";
export { type ParsedOperatorFlags, parseOperatorFlags } from "./flags/parse-operator-flags.ts";
export { type DefaultRegistry, dockerHub } from "./image/default-registry.ts";
export type { CredentialEntry } from "./image/docker-auths.ts";
export { type ImageErrorCode, imageErrorCatalogue } from "./image/error-catalogue.ts";
export type { FoundImage } from "./image/found-image.ts";
export type { ImageConfig } from "./image/image-config.ts";
export { ImageError } from "./image/image-error.ts";
export { ImageLookup, type ImageLookupOptions, type ImageQuestion } from "./image/image-lookup.ts";
export { type LookupOptions, lookUpImage } from "./image/look-up-image.ts";
export { type LookupMemory, lookupMemory } from "./image/lookup-memory.ts";
export type { PlatformConstraint } from "./image/platform.ts";
export { platformOf } from "./image/platform-of.ts";
export {
  type ParsedPullSecrets,
  type PullSecret,
  parsePullSecrets,
} from "./image/pull-secrets.ts";
export {
  type LookupLimits,
  lookupLimits,
  type RegistrySettings,
  registryDefaults,
} from "./image/registry-settings.ts";
export type { VolumePart } from "./inject/attachment.ts";
export type { BundleSource } from "./inject/bundle-source.ts";
export type { ContainerRole } from "./inject/choose-containers.ts";
export {
  type AskedPod,
  decideInjection,
  type KnownContext,
  type ReadAsked,
  readAsked,
  type Settled,
  settle,
} from "./inject/decide-injection.ts";
export type { ImageAnswer } from "./inject/find-program.ts";
export { type HealthEndpoint, reachedPort } from "./inject/health-endpoints.ts";
export { type InjectionRequest, imagesNeeded, inject } from "./inject/inject.ts";
export type { ContainerSummary, Injection, InjectionSummary } from "./inject/injection.ts";
export type { InjectionSettings, SourcedText } from "./inject/injection-settings.ts";
export { type Marker, readMarker } from "./inject/marker.ts";
export {
  type OperatorSettings,
  operatorDefaults,
} from "./inject/operator-settings.ts";
export { setsVariable } from "./inject/own-variables.ts";
export { type ResolvedInjection, resolveInjection } from "./inject/resolve-injection.ts";
export { applyPatch } from "./json-patch/apply-patch.ts";
export { type PatchOperation, patchBetween } from "./json-patch/patch-between.ts";
export {
  type ElectionTimes,
  electionTimes,
  type LeaderOptions,
  runLeader,
} from "./leader/run-leader.ts";
export { asksElsewhere } from "./pod/asks-elsewhere.ts";
export { type ParsedPod, parsePod } from "./pod/parse-pod.ts";
export type { Container, Pod } from "./pod/pod.ts";
export { type PodTemplate, podKinds, podTemplatesOf } from "./pod/pod-templates.ts";
export { askPodImages, type PodImagesOptions } from "./pod-images/ask-pod-images.ts";
export { type AskedImage, loginSourceOf } from "./registry-logins/providers/login-source-of.ts";
export { loadAuthorities } from "./run/load-authorities.ts";
export {
  type ChosenConfig,
  type ConfigChoice,
  chooseConfig,
  DEFAULT_CONFIG,
} from "./svc-config/choose-config.ts";
export { definition, GROUP, VERSION } from "./svc-config/definition.ts";
export { matchesLabels } from "./svc-config/matches-labels.ts";
export { type ParsedSvcConfig, parseSvcConfig } from "./svc-config/parse-svc-config.ts";
export type {
  LabelRequirement,
  LabelSelector,
  SvcConfig,
  SvcConfigSpec,
} from "./svc-config/svc-config.ts";
export { type ConfigWatch, watchConfigs } from "./svc-config/watch-configs.ts";
