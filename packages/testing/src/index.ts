/**
 * `@svc/testing`: real servers and small helpers for tests, e2e and bench; never for production.
 */

export { attackProgram } from "./attacks/attack-program.ts";
export { type Attack, listAttacks } from "./attacks/attack-table.ts";
export { type AttackVictim, startAttackVictim } from "./attacks/attack-victim.ts";
export {
  type Combination,
  listCombinations,
  sampleCombinations,
} from "./attacks/combinations.ts";
export { combinationProgram } from "./attacks/combinations-program.ts";
export {
  type CombinationAnswer,
  type CombinationOptions,
  type CombinationVictim,
  runCombination,
  startCombinationVictim,
} from "./attacks/combinations-run.ts";
export {
  type AttackOptions,
  type AttackResult,
  runAttack,
} from "./attacks/run-attack.ts";
export { type CampaignOptions, type CampaignResult, runCampaign } from "./attacks/run-campaign.ts";
export type { AttackTarget } from "./attacks/start-attacker.ts";
export { listTampers } from "./attacks/tamper-table.ts";
export { cacheFolder } from "./cache-folder.ts";
export { CANARY_PREFIX, canary } from "./canary.ts";
export {
  type Certificate,
  type CertificateAuthority,
  type CertificateRequest,
  certificateAuthority,
} from "./certificates/certificate-authority.ts";
export {
  STORE_PODS,
  STORE_SECRETS,
  type StoreInCluster,
  type StoreOptions,
  startStoreInCluster,
} from "./cluster/store-in-cluster.ts";
export { TestingError, type TestingErrorCode } from "./errors.ts";
export { freePort } from "./free-port.ts";
export { readGoldenTable, writeGoldenTables } from "./golden/golden-tables.ts";
export { installPackages } from "./install-packages.ts";
export { applyObject, type KubernetesObject, objectPath } from "./kubernetes/apply-object.ts";
export { connectKubernetesAuth, reviewerToken } from "./kubernetes/connect-kubernetes-auth.ts";
export { kubeconfig } from "./kubernetes/kubeconfig.ts";
export {
  askKubernetes,
  callKubernetes,
  type KubernetesReply,
  type KubernetesRequest,
  type KubernetesTarget,
} from "./kubernetes/kubernetes-api.ts";
export {
  enableKubernetesAuth,
  type KubernetesAuth,
  writeKubernetesRole,
} from "./kubernetes/kubernetes-auth.ts";
export { kubernetesPrograms } from "./kubernetes/kubernetes-release.ts";
export {
  type Intercept,
  type ObjectServer,
  plainKubeconfig,
  refusal,
  type ServedObject,
  type ServedRequest,
  startObjectServer,
} from "./kubernetes/object-server.ts";
export { serviceAccountJwt } from "./kubernetes/service-account-jwt.ts";
export {
  createServiceAccountToken,
  type ServiceAccountTokenRequest,
} from "./kubernetes/service-account-token.ts";
export {
  type Kubernetes,
  type KubernetesOptions,
  startKubernetes,
} from "./kubernetes/start-kubernetes.ts";
export {
  type ReviewedAccount,
  startTokenReview,
  type TokenReviewServer,
} from "./kubernetes/token-review.ts";
export { needsRoot } from "./needs-root.ts";
export { type NotifySocket, notifySocket } from "./notify-socket.ts";
export {
  type Answer,
  answerPart,
  answerText,
  type BaoRequest,
  type BaoTarget,
  callBao,
} from "./openbao/bao-api.ts";
export { fetchOpenBao } from "./openbao/fetch-openbao.ts";
export { sealBao, unsealBao } from "./openbao/initialise-openbao.ts";
export {
  type ClusterNode,
  type OpenBaoCluster,
  startOpenBaoCluster,
} from "./openbao/openbao-cluster.ts";
export type { OpenBaoOptions } from "./openbao/openbao-options.ts";
export {
  makeToken,
  mountKv2,
  type TestPolicyRule,
  writePolicy,
  writeSecret,
} from "./openbao/openbao-setup.ts";
export { type OpenBao, startOpenBao } from "./openbao/start-openbao.ts";
export { runsAsRoot } from "./runs-as-root.ts";
export { type ServerProcess, startServer } from "./server-process.ts";
export { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";
export { withHosts } from "./with-hosts.ts";
