/**
 * The part of `@svc/testing` for scripts: it needs no test runner, and no package that has to be
 * installed first.
 */

export { type Attack, listAttacks } from "./attacks/attack-table.ts";
export { listTampers } from "./attacks/tamper-table.ts";
export { cacheFolder } from "./cache-folder.ts";
export { TestingError } from "./errors.ts";
export { freePort } from "./free-port.ts";
export { installPackages } from "./install-packages.ts";
export {
  KUBERNETES_RELEASE,
  type KubernetesPrograms,
  kubernetesFolder,
  kubernetesPrograms,
  programsIn,
} from "./kubernetes/kubernetes-release.ts";
export { fetchOpenBao } from "./openbao/fetch-openbao.ts";
export { findProgram } from "./run-command.ts";
export { temporaryFolder } from "./temporary-folder.ts";
export { waitFor } from "./wait-for.ts";
