/** `@svc/testing`: real servers and small helpers for tests, e2e and bench; never for production. */
export { applyObject, type KubernetesObject, objectPath } from "./apply-object.ts";
export { attackProgram } from "./attacks/attack-program.ts";
export { type Attack, listAttacks } from "./attacks/attack-table.ts";
export { type AttackVictim, startAttackVictim } from "./attacks/attack-victim.ts";
export {
  type AttackOptions,
  type AttackResult,
  runAttack,
} from "./attacks/run-attack.ts";
export { type CampaignOptions, type CampaignResult, runCampaign } from "./attacks/run-campaign.ts";
export type { AttackTarget } from "./attacks/start-attacker.ts";
export { listTampers } from "./attacks/tamper-table.ts";
export {
  type Answer,
  answerPart,
  answerText,
  type BaoRequest,
  type BaoTarget,
  callBao,
} from "./bao-api.ts";
export { cacheFolder } from "./cache-folder.ts";
export { CANARY_PREFIX, canary } from "./canary.ts";
export {
  type Certificate,
  type CertificateAuthority,
  type CertificateWish,
  certificateAuthority,
} from "./certificate-authority.ts";
export { connectKubernetesAuth, reviewerToken } from "./connect-kubernetes-auth.ts";
export { TestingError, type TestingErrorCode } from "./errors.ts";
export { fetchOpenBao } from "./fetch-openbao.ts";
export { freePort } from "./free-port.ts";
export { sealBao, unsealBao } from "./initialise-openbao.ts";
export { kubeconfig } from "./kubeconfig.ts";
export {
  askKubernetes,
  callKubernetes,
  type KubernetesReply,
  type KubernetesRequest,
  type KubernetesTarget,
} from "./kubernetes-api.ts";
export {
  enableKubernetesAuth,
  type KubernetesAuth,
  writeKubernetesRole,
} from "./kubernetes-auth.ts";
export { needsRoot } from "./needs-root.ts";
export { type NotifySocket, notifySocket } from "./notify-socket.ts";
export { type ClusterNode, type OpenBaoCluster, startOpenBaoCluster } from "./openbao-cluster.ts";
export type { OpenBaoOptions } from "./openbao-options.ts";
export {
  makeToken,
  mountKv2,
  type TestPolicyRule,
  writePolicy,
  writeSecret,
} from "./openbao-setup.ts";
export { runsAsRoot } from "./runs-as-root.ts";
export { type ServerProcess, startServer } from "./server-process.ts";
export { serviceAccountJwt } from "./service-account-jwt.ts";
export {
  createServiceAccountToken,
  type ServiceAccountTokenWish,
} from "./service-account-token.ts";
export { type Kubernetes, type KubernetesOptions, startKubernetes } from "./start-kubernetes.ts";
export { type OpenBao, startOpenBao } from "./start-openbao.ts";
export { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
export { type ReviewedAccount, startTokenReview, type TokenReviewServer } from "./token-review.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";
export { withHosts } from "./with-hosts.ts";
