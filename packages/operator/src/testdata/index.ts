/** Test material of `@svc/operator`, and its inner parts that stories and benchmarks measure. */

export { podReview } from "../admission/testdata/pod-request.ts";
export { repository, serve } from "../image/testdata/serve-registry.ts";
export {
  type SmallImage,
  type Stored,
  smallImage,
  smallIndex,
} from "../image/testdata/small-image.ts";
export {
  decided,
  type GoldenPod,
  goldenOperator,
  goldenPods,
} from "../inject/testdata/golden-pods.ts";
export { awsVariables } from "../registry-logins/aws/read-aws-identity.ts";
export { azureVariables } from "../registry-logins/azure/azure-identity.ts";
export { googleVariables } from "../registry-logins/google/google-identity.ts";
export { readProviders } from "../registry-logins/providers/read-providers.ts";
export { RegistryLogins } from "../registry-logins/providers/registry-logins.ts";
export { awsStandIn } from "../registry-logins/testdata/aws-stand-in.ts";
export { azureStandIn } from "../registry-logins/testdata/azure-stand-in.ts";
export { basicRegistry, bearerRegistry } from "../registry-logins/testdata/cloud-registry.ts";
export { googleStandIn } from "../registry-logins/testdata/google-stand-in.ts";
export { loginFiles, subject } from "../registry-logins/testdata/login-stage.ts";
export { type StandIn, standIn } from "../registry-logins/testdata/stand-in.ts";
export { type TokenIssuer, tokenIssuer } from "../registry-logins/testdata/token-issuer.ts";
